/** Whether a value received from the worker is a {@link DocumentReport}. */
import { isCount, isFlag, isOneOf, isText, listOf, mapOf, orNull, shape } from './check';
import type { DocumentReport } from './report';

const line = orNull(isCount);
const operations = mapOf(isText);
const unknown = listOf(shape({ name: isText, line, why: isText }));

const message = shape({
  index: isCount,
  subject: isText,
  from: isText,
  isReply: isFlag,
  line: isCount,
  endLine: isCount,
});

const hunk = shape({
  line,
  endLine: line,
  heading: isText,
  oldStart: isCount,
  newStart: isCount,
  added: isCount,
  removed: isCount,
  partial: isFlag,
  approximate: isFlag,
});

const file = shape({
  path: isText,
  oldPath: orNull(isText),
  status: isOneOf('modified', 'added', 'deleted', 'renamed', 'copied', 'binary'),
  message: isCount,
  quoted: isFlag,
  line,
  endLine: line,
  hunks: listOf(hunk),
});

const cause = shape({ name: isText, operations, why: isText, gates: listOf(isText), note: isText });

const lineAnnotation = shape({
  line: isCount,
  side: isOneOf('old', 'new', 'both'),
  operations,
  operationsOther: orNull(operations),
  noCycles: isText,
  weak: isFlag,
  causes: listOf(cause),
  unknown,
});

const annotation = shape({
  path: isText,
  line: isCount,
  endLine: isCount,
  heading: isText,
  quoted: isFlag,
  delta: operations,
  deltaOther: orNull(operations),
  noCycles: isText,
  weak: isFlag,
  lines: listOf(lineAnnotation),
  unknown,
  gates: listOf(isText),
  derivation: listOf(isText),
});

const priced = {
  delta: operations,
  deltaOther: orNull(operations),
  noCycles: isText,
  unknown,
};

const total = shape({
  ...priced,
  line: isCount,
  subject: isText,
  scope: isOneOf('patch', 'all'),
  supersededBy: orNull(isText),
  revises: orNull(isText),
  roots: listOf(shape({ ...priced, name: isText, path: isText })),
});

const diagnostic = shape({ kind: isText, line, message: isText });

const target = (value: unknown): boolean =>
  shape({ kind: isOneOf('message-id'), id: isText })(value) ||
  shape({ kind: isOneOf('commit'), sha: isText })(value) ||
  shape({ kind: isOneOf('path'), path: isText, line: isCount })(value);

const report = shape({
  absence: orNull(isOneOf('empty', 'binary', 'no-patch', 'no-tlb-code')),
  messages: listOf(message),
  files: listOf(file),
  annotations: listOf(annotation),
  totals: listOf(total),
  diagnostics: listOf(diagnostic),
  findings: listOf(diagnostic),
  byNameOnly: isText,
  decoded: listOf(shape({ index: isCount, kind: isText, name: isText, line: isCount })),
  links: listOf(shape({ line: isCount, start: isCount, end: isCount, target })),
  cut: isText,
});

export const isDocumentReport = (value: unknown): value is DocumentReport => report(value);
