/** What a document is about, for `appliesTo`: a patch by its hunks, any other text by itself. */
import { hunkLines } from '../patch/lines';
import type { PatchFile } from '../patch/model';
import { identifiersOf, type Subject } from './appliesTo';

/** A patch is about the files and functions that its hunks show. */
export function patchSubject(files: readonly PatchFile[]): Subject {
  const names = new Set<string>();
  for (const { hunks } of files)
    for (const hunk of hunks) {
      identifiersOf(hunk.heading, names);
      for (const line of hunkLines(hunk)) identifiersOf(line.text, names);
    }
  return {
    paths: files.flatMap(({ oldPath, newPath }) => [oldPath, newPath].filter(one => one !== null)),
    names,
  };
}

/** A source file is about its path and every name in it. */
export function textSubject(path: string, text: string): Subject {
  const names = new Set<string>();
  identifiersOf(text, names);
  return { paths: [path.replaceAll('\\', '/')], names };
}
