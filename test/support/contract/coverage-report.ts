import { renderTable } from '#src/cli/output/table.js';
import type { ContractCoverage, CoveredOperation, CoveredStatus, Seen } from './coverage.js';
import { contractPageStyle } from './coverage-page-style.js';

const isSeen = ({ times }: { readonly times: number }) => times > 0;

/** `12 of 13`. */
const share = (all: readonly { readonly times: number }[]) =>
  `${String(all.filter(isSeen).length)} of ${String(all.length)}`;

/** A table for the terminal: how many statuses and headers of each operation were received. */
export function contractSummary({ operations, codes }: ContractCoverage): string {
  const headersOf = (statuses: readonly CoveredStatus[]) => statuses.flatMap(({ headers }) => headers);
  const rows = operations.map(({ name, statuses }) => [name, share(statuses), share(headersOf(statuses))]);
  const statuses = operations.flatMap((operation) => operation.statuses);
  const columns = ['Contract coverage', 'statuses', 'headers'].map((heading, index) => ({
    heading,
    cell: (row: readonly string[]) => row[index] ?? '',
  }));
  const table = renderTable(columns, [...rows, ['total', share(statuses), share(headersOf(statuses))]]);
  return `${table}Error codes: ${share(codes)}. coverage/contract.html shows each.\n`;
}

/**
 * An HTML page: each status of each operation, with the headers that the contract declares for it.
 */
export function contractPage({ operations, codes }: ContractCoverage): string {
  const statuses = operations.flatMap((operation) => operation.statuses);
  const figures = [
    ['operations', String(operations.length - 2)],
    ['statuses', share(statuses)],
    ['headers', share(statuses.flatMap(({ headers }) => headers))],
    ['error codes', share(codes)],
  ];
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Contract coverage</title>
<style>${contractPageStyle}</style>
<main>
<h1>Contract coverage</h1>
<p>What <code>spec/petstore.yaml</code> declares, and how often the tests have received it in a response.
Each of these responses was validated against the contract: status, body and headers.</p>
<dl>${figures.map(([name = '', value = '']) => `<div><dt>${name}</dt><dd>${value}</dd></div>`).join('')}</dl>
${operations.map(operationSection).join('\n')}
<section><h2>Error codes</h2><ul>${codes.map(codeItem).join('')}</ul></section>
</main>
</html>
`;
}

function operationSection({ name, call, stability, statuses }: CoveredOperation): string {
  const columns = [...new Set(statuses.flatMap(({ headers }) => headers.map((header) => header.name)))];
  const headings = columns.map((column) => `<th scope="col"><span>${escaped(column)}</span></th>`).join('');
  const rows = statuses.map((status) => statusRow(status, columns)).join('\n');
  const badge = stability === undefined ? '' : ` <small>${escaped(stability)}</small>`;
  return `<section><h2>${escaped(name)} <code>${escaped(call)}</code>${badge}</h2>
<div class="wide"><table>
<thead><tr><th scope="col">Status</th><th scope="col">Responses</th>${headings}</tr></thead>
<tbody>
${rows}
</tbody></table></div></section>`;
}

function statusRow({ status, times, headers }: CoveredStatus, columns: readonly string[]): string {
  const cells = columns.map((column) => headerCell(headers.find(({ name }) => name === column))).join('');
  const count = `<td class="${times > 0 ? 'times' : 'missing'}">${times.toLocaleString('en')}</td>`;
  return `<tr><th scope="row">${escaped(status)}</th>${count}${cells}</tr>`;
}

function headerCell(header: Seen | undefined): string {
  if (header === undefined) return '<td></td>';
  const title = `${header.name}: ${header.times.toLocaleString('en')} times`;
  return isSeen(header)
    ? `<td class="seen" title="${escaped(title)}">✓</td>`
    : `<td class="missing" title="never">✗</td>`;
}

function codeItem({ name, times }: Seen): string {
  return (
    `<li class="${times > 0 ? 'seen' : 'missing'}">${escaped(name)} ` +
    `<span>${times.toLocaleString('en')}</span></li>`
  );
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
