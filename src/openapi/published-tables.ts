/** One row of `x-error-codes`. */
export interface ExplainedCode {
  readonly status: number;
  readonly cause: string;
  readonly cure: string;
}

/**
 * Every error code with its status, cause and cure, in ascending order of the status, as a table of GitHub's Markdown.
 */
export function errorCodeTable(codes: Readonly<Record<string, ExplainedCode>>): string {
  const rows = Object.entries(codes)
    .sort(([, one], [, other]) => one.status - other.status)
    .map(([code, { status, cause, cure }]) => [`\`${code}\``, String(status), cause, cure]);
  return markdownTable(['Code', 'Status', 'Why it happens', 'What to do'], rows);
}

/** A table of GitHub's Markdown. */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
