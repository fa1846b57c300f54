/** Which messages are patches of one series, which version is the newest, and what a revision in a reply replaces. */
import type { PatchDocument, PatchFile, PatchMessage } from '../patch/model';

/** A subject taken apart: `[RFC PATCH v2 1/3] x86/mm/tlb: …`. */
export interface SubjectParts {
  readonly version: number;
  readonly part: number | null;
  readonly parts: number | null;
  /** Without `Re:` and brackets, in lower case, for comparing. */
  readonly title: string;
}

/** Reads the version and number of a patch from its subject. */
export function readSubject(subject: string): SubjectParts {
  let rest = subject.trim();
  let version = 1;
  let part: number | null = null;
  let parts: number | null = null;
  for (let rounds = 0; rounds < 12; rounds++) {
    const prefix = /^(?:re|fwd?|aw)\s*:\s*/i.exec(rest);
    if (prefix) {
      rest = rest.slice(prefix[0].length);
      continue;
    }
    if (!rest.startsWith('[')) break;
    const close = rest.indexOf(']');
    if (close < 0) break;
    const inside = rest.slice(1, close);
    version = Number(/(?:^|[\s,])v(\d{1,3})(?:[\s,.]|$)/i.exec(inside)?.[1] ?? version);
    const numbers = /(?:^|\s)0*(\d{1,4})\/0*(\d{1,4})(?:\s|$)/.exec(inside);
    if (numbers) [part, parts] = [Number(numbers[1]), Number(numbers[2])];
    rest = rest.slice(close + 1).trimStart();
  }
  return { version, part, parts, title: rest.toLowerCase().replace(/\s+/g, ' ').trim() };
}

/** A message that brings files. */
export interface PatchEntry {
  readonly message: number;
  readonly subject: string;
  readonly parts: SubjectParts;
  readonly files: readonly PatchFile[];
  /** The message that replaces it as a whole, or null. */
  supersededBy: number | null;
  /** Files that a later message replaces, with that message. */
  readonly supersededFiles: Map<PatchFile, number>;
  /** The patch that this one revises in part, or null. */
  revises: number | null;
  /** Patches with the same key apply on each other in order. */
  readonly series: string;
}

const pathOf = (file: PatchFile): string => file.newPath ?? file.oldPath ?? '';

/** The patches of a document in the order in which they apply. */
export function patchesOf(document: PatchDocument): PatchEntry[] {
  const byMessage = new Map<number, PatchFile[]>();
  for (const file of document.files) {
    const known = byMessage.get(file.message);
    if (known) known.push(file);
    else byMessage.set(file.message, [file]);
  }
  const messages = new Map<number, PatchMessage>(document.messages.map(message => [message.index, message]));
  const entries = [...byMessage].map(([message, files]): PatchEntry => {
    const subject = messages.get(message)?.subject ?? '';
    const parts = readSubject(subject);
    const series = `${parts.version}/${parts.parts ?? ''}`;
    return {
      message,
      subject,
      parts,
      files,
      supersededBy: null,
      supersededFiles: new Map(),
      revises: null,
      series,
    };
  });
  const isReply = (entry: PatchEntry): boolean => messages.get(entry.message)?.isReply ?? false;
  supersede(entries, isReply);
  // Numbered patches apply by number; a revision in a reply directly behind what it revises.
  const rank = (entry: PatchEntry): number => entry.parts.part ?? 0;
  return entries.sort(
    (a, b) =>
      (a.series === b.series ? rank(a) - rank(b) : 0) ||
      Number(isReply(a)) - Number(isReply(b)) ||
      a.message - b.message,
  );
}

function supersede(entries: readonly PatchEntry[], isReply: (entry: PatchEntry) => boolean): void {
  for (const later of entries)
    for (const earlier of entries) {
      if (earlier === later || earlier.supersededBy !== null) continue;
      const same = later.parts.title !== '' && later.parts.title === earlier.parts.title;
      const place =
        later.parts.part !== null &&
        later.parts.part === earlier.parts.part &&
        later.parts.parts === earlier.parts.parts &&
        sharesFile(later, earlier);
      if (!same && !place) continue;
      if (isReply(later) && !isReply(earlier) && later.parts.version === earlier.parts.version) {
        reviseFiles(later, earlier);
        continue;
      }
      if (isReply(later) !== isReply(earlier)) continue;
      const newer =
        later.parts.version > earlier.parts.version ||
        (same &&
          later.parts.version === earlier.parts.version &&
          later.message > earlier.message &&
          later.parts.part === earlier.parts.part &&
          isReply(later));
      if (newer) earlier.supersededBy = later.message;
    }
}

const sharesFile = (a: PatchEntry, b: PatchEntry): boolean => {
  const paths = new Set(a.files.map(pathOf));
  return b.files.some(file => paths.has(pathOf(file)));
};

/** A diff inside a reply replaces the posted diff of the same files. */
function reviseFiles(reply: PatchEntry, posted: PatchEntry): void {
  const paths = new Set(reply.files.map(pathOf));
  const replaced = posted.files.filter(file => paths.has(pathOf(file)));
  if (!replaced.length) return;
  reply.revises = posted.message;
  for (const file of replaced) posted.supersededFiles.set(file, reply.message);
  if (replaced.length === posted.files.length) posted.supersededBy = reply.message;
}
