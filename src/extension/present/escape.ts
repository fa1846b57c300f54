/** Text of a patch is never markup: everything that comes from a document passes through here before it is shown. */

/** Longest piece of patch text that is shown in one place. */
const longest = 300;

/** Control characters and those that reorder text: shown as their code, because they could disguise what is shown. */
const hidden = /[\p{Cc}\p{Cf}\u2028\u2029]/gu;

const asCode = (character: string): string =>
  `⟨U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}⟩`;

/** One line of plain text: control characters made visible, white space collapsed, cut at a bound. */
export function plainText(text: string, limit = longest): string {
  const short = text.length > limit ? `${text.slice(0, limit - 1)}…` : text;
  return short
    .replace(/[\t\n\r ]+/g, ' ')
    .replace(hidden, asCode)
    .trim();
}

/** {@link plainText} with every ASCII punctuation mark escaped: no link, image, HTML, icon or table can come of it. */
export const markdownText = (text: string, limit = longest): string =>
  plainText(text, limit).replace(/[!-/:-@[-`{-~]/g, '\\$&');

/** {@link plainText} for lists, lenses and the status bar, where `$(name)` would be an icon. */
export const labelText = (text: string, limit = longest): string =>
  plainText(text, limit).replaceAll('$(', '$ (');
