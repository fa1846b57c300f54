import type { Fields } from './messages';
import { readFields } from './messages';
import type { DiagnosticKind } from './model';
import { decodeBase64, decodeQuotedPrintable } from './transfer';
import type { LineTable } from './table';

/** A text part of a mail, decoded: lines `from` ≤ l < `to` of `table`. */
export interface TextPart {
  readonly table: LineTable;
  readonly from: number;
  readonly to: number;
  readonly flowed: boolean;
  /** RFC 3676 `DelSp=yes`: the blank before a soft break is no content. */
  readonly delSp: boolean;
  /** File name of an attachment, or ''. */
  readonly name: string;
  /** Line of the parent on which the part's body begins. */
  readonly rawLine: number;
}

const MAX_DEPTH = 12;

/** `type/subtype` and parameters of a Content-Type or Content-Disposition field. */
function parseParameters(value: string): { type: string; parameters: Map<string, string> } {
  const parameters = new Map<string, string>();
  let at = value.indexOf(';');
  const type = (at < 0 ? value : value.slice(0, at)).trim().toLowerCase();
  while (at >= 0 && at < value.length && parameters.size < 50) {
    const equals = value.indexOf('=', at);
    if (equals < 0) break;
    const name = value
      .slice(at + 1, equals)
      .trim()
      .toLowerCase();
    let end: number;
    let content: string;
    if (value[equals + 1] === '"') {
      end = value.indexOf('"', equals + 2);
      if (end < 0) end = value.length;
      content = value.slice(equals + 2, end);
    } else {
      end = value.indexOf(';', equals);
      if (end < 0) end = value.length;
      content = value.slice(equals + 1, end).trim();
    }
    if (name && !parameters.has(name)) parameters.set(name, content);
    at = value.indexOf(';', end);
  }
  return { type, parameters };
}

/** Collects the text parts of a mail whose header is `fields` and whose body is lines `from` ≤ l < `to`. */
export function textParts(
  table: LineTable,
  fields: Fields,
  from: number,
  to: number,
  diagnose: (kind: DiagnosticKind, line: number, message: string) => void,
): TextPart[] {
  const parts: TextPart[] = [];
  collect(fields, from, to, 0, '');
  return parts;

  function collect(partFields: Fields, first: number, end: number, depth: number, container: string): void {
    const content = parseParameters(partFields.get('content-type') ?? 'text/plain');
    const disposition = parseParameters(partFields.get('content-disposition') ?? '');
    const name = disposition.parameters.get('filename') ?? content.parameters.get('name') ?? '';
    const boundary = content.parameters.get('boundary');
    if (content.type.startsWith('multipart/') && boundary && depth < MAX_DEPTH) {
      const sections = splitByBoundary(table, first, end, boundary);
      for (const section of sections) {
        const inner = readFields(table, section.from, section.to);
        collect(inner.fields, inner.body, section.to, depth + 1, content.type);
      }
      return;
    }
    if (content.type === 'message/rfc822' && depth < MAX_DEPTH) {
      const inner = readFields(table, first, end);
      collect(inner.fields, inner.body, end, depth + 1, '');
      return;
    }
    if (
      !isText(content.type, name) ||
      (container === 'multipart/alternative' && content.type !== 'text/plain')
    )
      return;
    const encoding = (partFields.get('content-transfer-encoding') ?? '').trim().toLowerCase();
    const charset = content.parameters.get('charset') ?? 'utf-8';
    const flowed = content.parameters.get('format')?.toLowerCase() === 'flowed';
    const delSp = content.parameters.get('delsp')?.toLowerCase() === 'yes';
    if (encoding === 'quoted-printable' || encoding === 'base64') {
      const decode = encoding === 'base64' ? decodeBase64 : decodeQuotedPrintable;
      const decoded = decode(table, first, end, charset);
      if (decoded.invalid)
        diagnose(
          'non-utf8',
          first,
          `This part is not valid ${charset}; bytes that do not fit were read as ISO 8859-1.`,
        );
      parts.push({
        table: decoded.table,
        from: 0,
        to: decoded.table.lineCount,
        flowed,
        delSp,
        name,
        rawLine: first,
      });
    } else parts.push({ table, from: first, to: end, flowed, delSp, name, rawLine: first });
  }
}

function isText(type: string, name: string): boolean {
  if (type === 'text/html') return false;
  return (
    type.startsWith('text/') ||
    type === '' ||
    /\.(?:patch|diff|txt)$/i.test(name) ||
    /x-(?:patch|diff)$/.test(type)
  );
}

function splitByBoundary(
  table: LineTable,
  from: number,
  to: number,
  boundary: string,
): { from: number; to: number }[] {
  const sections: { from: number; to: number }[] = [];
  const mark = `--${boundary}`;
  let open = -1;
  for (let line = from; line < to; line++) {
    const start = table.lineStart(line);
    if (table.text.charCodeAt(start) !== 45 || !table.text.startsWith(mark, start)) continue;
    const tail = table.text.slice(start + mark.length, table.lineEnd(line)).trimEnd();
    if (tail !== '' && tail !== '--') continue;
    if (open >= 0) sections.push({ from: open, to: line });
    open = line + 1;
    if (tail === '--') return sections;
  }
  if (open >= 0) sections.push({ from: open, to });
  return sections;
}
