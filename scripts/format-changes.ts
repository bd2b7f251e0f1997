import type { Effect } from './compatibility-rules.js';
import { dereference } from './dereference.js';
import { type ClassifiedChange, type Contract, diffContract } from './diff-contract.js';

const actions = { add: 'added', remove: 'removed', replace: 'changed', rename: 'renamed' } as const;
/** The labels, in the order of the lines. A breaking change of an operation that is not stable is allowed too. */
const labels: Readonly<Record<Effect, string>> = {
  breaking: 'BREAKING',
  'non-breaking': 'allowed',
  annotation: 'docs',
};
const linesMax = 12;
const locationsMax = 3;

/**
 * Formats the changes of a contract, breaking changes first. A change of a component is one line, however many
 * operations use it.
 *
 * @param today `YYYY-MM-DD`
 */
export function formatChanges(before: Contract, after: Contract, today: string): string[] {
  const { changes } = diffContract(before, after, today);
  const nameOf = parameterNames(before);
  const locationsByLine = new Map<string, string[]>();
  for (const effect of Object.keys(labels) as Effect[]) {
    for (const change of changes.filter((each) => each.effect === effect)) {
      const { what, where } = locate(change, nameOf);
      const line = `${labels[effect].padEnd(8)} ${actions[change.action]} ${what}${formatValues(change)}`;
      locationsByLine.set(line, [...(locationsByLine.get(line) ?? []), ...where]);
    }
  }
  const lines = [...locationsByLine].map(([line, locations]) =>
    locations.length === 0 ? line : `${line} of ${formatList(locations)}`,
  );
  return lines.length <= linesMax
    ? lines
    : [...lines.slice(0, linesMax), `and ${String(lines.length - linesMax)} more`];
}

type NameOf = (path: string, method: string, index: string) => string | undefined;

/** The indexes are those of the contract before the change; added parameters come after them. */
function parameterNames(contract: Contract): NameOf {
  const { paths } = dereference(contract);
  type WithParameters = { readonly parameters?: readonly { readonly name: string }[] } | undefined;
  return (path, method, index) => (paths[path]?.[method] as WithParameters)?.parameters?.[Number(index)]?.name;
}

interface Location {
  readonly what: string;
  readonly where: readonly string[];
}

/** Splits a pointer, for example into `status` and `GET /pets 200`. */
function locate(change: ClassifiedChange, nameOf: NameOf): Location {
  const [root, path = '', method = '', ...inside] = change.at.split('/').map(unescape);
  if (root !== 'paths') return { what: change.at, where: [] };
  const operation = `${method.toUpperCase()} ${path}`
    .replace('GET x-service-responses', 'every path')
    .replace('GET x-document-responses', 'documents')
    .trim();
  const [kind, key = '', ...rest] = inside;
  if (kind === 'responses' && rest.length > 0) return { what: shorten(rest), where: [`${operation} ${key}`] };
  if (kind === 'parameters')
    return { what: shorten(['parameter', parameterName() ?? key, ...rest]), where: [operation] };
  return { what: shorten(inside) || 'operation', where: [operation] };

  function parameterName(): string | undefined {
    return nameOf(path, method, key) ?? (change.after as { readonly name?: string } | undefined)?.name;
  }
}

function unescape(name: string): string {
  return name.replaceAll('~1', '/').replaceAll('~0', '~');
}

/** Omits the names between an operation and a field. */
function shorten(names: readonly string[]): string {
  const significant = names.filter(
    (name) => !['content', 'application/json', 'schema', 'items', 'properties'].includes(name),
  );
  return (significant.length > 0 ? significant : names).join(' ');
}

/** Formats the values, unless they are objects or documentation. */
function formatValues({ effect, before, after }: ClassifiedChange): string {
  const isShown = effect !== 'annotation' && [before, after].every((value) => typeof value !== 'object');
  if (!isShown) return '';
  return ` (${[before, after]
    .filter((value) => value !== undefined)
    .map(String)
    .join(' → ')})`;
}

function formatList(locations: readonly string[]): string {
  const more = locations.length - locationsMax;
  return locations.slice(0, locationsMax).join(', ') + (more > 0 ? ` and ${String(more)} more` : '');
}
