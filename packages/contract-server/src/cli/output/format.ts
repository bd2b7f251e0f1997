import { printable } from '@contract-server/core/lib/printable.js';
import Table from 'cli-table3';

export interface Column<Row> {
  readonly heading: string;
  readonly align?: 'left' | 'right';
  readonly cell: (row: Row) => string;
}

const lines = ['top', 'bottom', 'left', 'right', 'mid'];
const crossings = ['top-mid', 'top-left', 'top-right', 'bottom-mid', 'bottom-left', 'bottom-right'];
const noBorders = Object.fromEntries(
  [...lines, ...crossings, 'left-mid', 'mid-mid', 'right-mid'].map((name) => [name, '']),
);

/** Renders a table without borders. Columns are aligned even if characters are two terminal cells wide. */
export function renderTable<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string {
  const table = new Table({
    chars: { ...noBorders, middle: '  ' },
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
    colAligns: columns.map(({ align = 'left' }) => align),
  });
  table.push(
    columns.map(({ heading }) => heading),
    ...rows.map((row) => columns.map(({ cell }) => printable(cell(row)))),
  );
  return table
    .toString()
    .split('\n')
    .map((line) => `${line.trimEnd()}\n`)
    .join('');
}

/** `10,000`, or `-` for `null`. */
export function formatCount(count: number | null): string {
  return count === null ? '-' : count.toLocaleString('en-US');
}

/** `1 key`, `10,000 keys` */
export function countOf(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}

/** An ISO 8601 time shortened to seconds, or `never` for `null`. */
export function formatTime(time: string | null): string {
  return time === null ? 'never' : `${time.slice(0, 'YYYY-MM-DDTHH:MM:SS'.length)}Z`;
}
