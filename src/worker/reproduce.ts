/** Published tables, reproduced in the worker: one at a time, so that it can be stopped between them. */
import type { TableName, TablePage } from '../protocol/reproduce';
import { tableMarkdown } from '../scenario/reproduce/markdown';
import { reproductions } from '../scenario/reproduce/registry';
import { findReproduction, reproduceTables } from '../scenario/reproduce/reproduce';

export const tableNames = (): TableName[] =>
  reproductions.map(({ published: { id, title } }) => ({ id, title }));

/** `ids` that are no table are left out; none means all. The C parser must be loaded. Yields after each table. */
export function* reproducing(ids: readonly string[]): Generator<number, TablePage[], void> {
  const named = ids.flatMap(id => findReproduction(id) ?? []);
  const pages: TablePage[] = [];
  for (const table of reproduceTables(ids.length ? named : reproductions)) {
    pages.push({ id: table.id, title: table.title, markdown: tableMarkdown(table) });
    yield pages.length;
  }
  return pages;
}
