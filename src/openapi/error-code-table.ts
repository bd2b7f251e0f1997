/** One entry of `x-error-codes`. This file imports nothing, because the generated types are generated with it. */
export interface ErrorCodeDocs {
  readonly status: number;
  readonly cause: string;
  readonly resolution: string;
}

/** Creates a table of every error code in GitHub Flavored Markdown, in ascending order of the status. */
export function errorCodeTable(codes: Readonly<Record<string, ErrorCodeDocs>>): string {
  const rows = Object.entries(codes)
    .sort(([, one], [, other]) => one.status - other.status)
    .map(([code, { status, cause, resolution }]) => [`\`${code}\``, String(status), cause, resolution]);
  return markdownTable(['Code', 'Status', 'Cause', 'What to do'], rows);
}

/** Creates a table in GitHub Flavored Markdown. */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
