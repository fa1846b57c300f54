/** What in a mail leads somewhere: message ids, commits named by `Fixes:` and the like, paths of the diff. */
import { LineKind, type PatchDocument, type PatchFile, type TextSource } from '../patch/model';
import type { LinkReport, LinkTarget } from '../protocol/report';
import { shownPath } from './outline';

/** Lines of a mail are short; longer ones are not searched. */
const longestLine = 1000;
/** A thread has some hundreds of links; past this it is no mail. */
const mostLinks = 5000;

const idHeader = /^(?:Message-I[Dd]|In-Reply-To|References):/;
const angled = /<([^<>\s@]{1,200}@[^<>\s]{1,200})>/g;
const commitLine = /^(?:Fixes: |commit |Cherry-picked-from: |Reverts: )([0-9a-f]{8,40})\b/;
const upstream = /^(?:\[ )?(?:commit ([0-9a-f]{40}) upstream|Upstream commit ([0-9a-f]{40}))/i;

function lineLinks(text: string, line: number, afterIds: boolean): LinkReport[] {
  const commit = commitLine.exec(text) ?? upstream.exec(text);
  if (commit) {
    const sha = commit[1] ?? commit[2]!;
    const start = text.indexOf(sha);
    return [{ line, start, end: start + sha.length, target: { kind: 'commit', sha } }];
  }
  if (!afterIds && !idHeader.test(text)) return [];
  return [...text.matchAll(angled)].map(match => ({
    line,
    start: match.index + 1,
    end: match.index + 1 + match[1]!.length,
    target: { kind: 'message-id', id: match[1]! },
  }));
}

/** A link on `shown`, which stands at or behind column `from` of a header line; null if it does not. */
function headerLink(
  source: TextSource,
  line: number,
  shown: string,
  from: number,
  target: LinkTarget,
): LinkReport | null {
  const documentLine = source.documentLine(line);
  if (documentLine === null || source.kind !== 'document') return null;
  const start = source.lineText(line).indexOf(shown, from);
  return start < 0 ? null : { line: documentLine, start, end: start + shown.length, target };
}

/** A path that stays inside a folder it is joined to: relative, of ordinary names. */
export const isPlainPath = (path: string): boolean =>
  path.length < 1000 &&
  !/^[/\\]|^[A-Za-z]:|[\0\\]/.test(path) &&
  path.split('/').every(part => part !== '' && part !== '.' && part !== '..');

function fileLinks(file: PatchFile): LinkReport[] {
  const path = shownPath(file);
  const hunk = file.hunks[0];
  if (!hunk || !isPlainPath(path)) return [];
  const links: LinkReport[] = [];
  // The `+++` line stands right before the first hunk.
  for (let line = hunk.headerLine - 1; line >= 0 && line >= hunk.headerLine - 2; line--) {
    if (hunk.source.lineKind(line) !== LineKind.FileHeader) break;
    const link = headerLink(hunk.source, line, path, 4, { kind: 'path', path, line: 1 });
    if (link) links.push(link);
  }
  for (const { source, headerLine, newStart } of file.hunks) {
    const link = headerLink(source, headerLine, `+${newStart}`, 3, {
      kind: 'path',
      path,
      line: Math.max(1, newStart),
    });
    if (link) links.push(link);
  }
  return links;
}

export function links(patch: PatchDocument): LinkReport[] {
  const { document } = patch;
  const found: LinkReport[] = [];
  let afterIds = false;
  for (let line = 0; line < document.lineCount && found.length < mostLinks; line++) {
    const short = document.lineEnd(line) - document.lineStart(line) <= longestLine;
    if (!short || document.lineKind(line) !== LineKind.Outside) {
      afterIds = false;
      continue;
    }
    const text = document.lineText(line);
    const folded: boolean = afterIds && /^[ \t]/.test(text);
    found.push(...lineLinks(text, line + 1, folded));
    afterIds = folded || idHeader.test(text);
  }
  for (const file of [...patch.files, ...patch.quoted]) {
    if (found.length >= mostLinks) break;
    found.push(...fileLinks(file));
  }
  return found.slice(0, mostLinks);
}
