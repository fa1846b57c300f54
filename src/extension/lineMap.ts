/**
 * Lines of the reader (1-based, ended by LF alone) to lines of the editor (0-based, ended by LF, CR LF or a lone CR).
 * They differ only where a text holds a CR that no LF follows.
 */
export interface LineMap {
  /** Editor line on which line `line` of the reader begins. */
  start(line: number): number;
  /** Editor line on which it ends. */
  end(line: number): number;
  /** The reader's line that holds an editor line. */
  readerLine(editorLine: number): number;
}

const identity: LineMap = {
  start: line => line - 1,
  end: line => line - 1,
  readerLine: editorLine => editorLine + 1,
};

/** True for a text that the editor would break at other places than the reader. */
export const hasLoneCr = (text: string): boolean => {
  for (let at = text.indexOf('\r'); at >= 0; at = text.indexOf('\r', at + 1))
    if (text.charCodeAt(at + 1) !== 10) return true;
  return false;
};

/** The map for the text that the reader was given. */
export function lineMap(text: string): LineMap {
  if (!hasLoneCr(text)) return identity;
  // starts[l - 1]: editor line on which the reader's line l begins.
  const starts = [0];
  let editorLine = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 10) starts.push(++editorLine);
    else if (code === 13 && text.charCodeAt(at + 1) !== 10) editorLine++;
  }
  const last = editorLine;
  const start = (line: number): number => starts[line - 1] ?? last;
  return {
    start,
    end: line => (line < starts.length ? start(line + 1) - 1 : last),
    readerLine: wanted => {
      let low = 0;
      let high = starts.length - 1;
      while (low < high) {
        const middle = (low + high + 1) >> 1;
        if (starts[middle]! <= wanted) low = middle;
        else high = middle - 1;
      }
      return low + 1;
    },
  };
}
