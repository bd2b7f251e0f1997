import Table from 'cli-table3';
import { printable } from './format.js';

export interface Column<Row> {
  readonly heading: string;
  readonly align?: 'left' | 'right';
  readonly cell: (row: Row) => string;
}

const noBorders = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  left: '',
  'left-mid': '',
  mid: '',
  'mid-mid': '',
  right: '',
  'right-mid': '',
  middle: '  ',
};

/** Renders a table without borders. Columns are aligned even if characters are two terminal cells wide. */
export function renderTable<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string {
  const table = new Table({
    chars: noBorders,
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
    colAligns: columns.map(({ align = 'left' }) => align),
  });
  table.push(
    columns.map(({ heading }) => heading),
    ...rows.map((row) => columns.map(({ cell }) => printable(cell(row)))),
  );
  const lines = table.toString().split('\n');
  return lines.map((line) => `${line.trimEnd()}\n`).join('');
}

/** Renders a line `Label:  value` for each field, with the values aligned. */
export function renderFields(fields: Readonly<Record<string, string>>): string {
  const width = Math.max(...Object.keys(fields).map(({ length }) => length)) + ':  '.length;
  const lines = Object.entries(fields).map(([label, value]) => `${`${label}:`.padEnd(width)}${printable(value)}\n`);
  return lines.join('');
}
