/** The page's HTML: nothing in it but the addresses of its script and style. */

export interface PageAddresses {
  readonly script: string;
  readonly style: string;
  /** Where a webview's own files come from. */
  readonly source: string;
  readonly nonce: string;
  readonly inEditor: boolean;
}

const attribute = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');

/** Nothing inline, nothing from anywhere else. The toolkit's one style element takes the nonce from the meta tag. */
export function pageHtml({ script, style, source, nonce, inEditor }: PageAddresses): string {
  const policy = [
    "default-src 'none'",
    `style-src ${source} 'nonce-${nonce}'`,
    `script-src 'nonce-${nonce}'`,
    `font-src ${source}`,
  ].join('; ');
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="UTF-8">
<meta http-equiv="Content-Security-Policy" content="${attribute(policy)}">
<meta property="csp-nonce" content="${nonce}">
<meta name="viewport" content="width=device-width, initial-scale=1.0">
<title>TLBScope</title>
<link rel="stylesheet" href="${attribute(style)}" nonce="${nonce}">
</head>
<body${inEditor ? ' class="in-editor"' : ''}>
<script nonce="${nonce}" src="${attribute(script)}"></script>
</body>
</html>
`;
}

/** A new nonce for each page, of a generator for secrets. */
export function newNonce(): string {
  const bytes = new Uint8Array(16);
  globalThis.crypto.getRandomValues(bytes);
  return Array.from(bytes, one => one.toString(16).padStart(2, '0')).join('');
}
