/* A file that the example patches name, so that their paths lead somewhere. */
