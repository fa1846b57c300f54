/** Keywords that a type is made of; each reader adds those that mean a type at its place. */
export const typeKeywords = [
  'struct',
  'union',
  'enum',
  'unsigned',
  'signed',
  'int',
  'long',
  'short',
  'char',
  'void',
];
