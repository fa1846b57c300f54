/** Pictures of the transport: paths in a square of 16. */
export const icons = {
  first: 'M3 3h2v10H3zM13 3v10L6 8z',
  back: 'M11 3v10L4 8z',
  play: 'M4 2.5v11L13 8z',
  pause: 'M4 3h3v10H4zM9 3h3v10H9z',
  forward: 'M5 3v10l7-5z',
  last: 'M11 3h2v10h-2zM3 3v10l7-5z',
  zoomIn: 'M7 3h2v4h4v2H9v4H7V9H3V7h4z',
  zoomOut: 'M3 7h10v2H3z',
  fit: 'M1 4h1v8H1zM14 4h1v8h-1zM5 5v2h6V5l3 3-3 3V9H5v2L2 8z',
} as const;
