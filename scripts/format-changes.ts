import type { Contract, Effect } from './contract-change.js';
import { withoutReferences } from './dereference.js';
import { type JudgedChange, judgeContract } from './diff-contract.js';

const actions = { add: 'added', remove: 'removed', replace: 'changed', rename: 'renamed' } as const;
/** What clients notice most comes first. What breaks clients of an operation that is not stable is allowed too. */
const effects: Readonly<Record<Effect, string>> = { breaking: 'BREAKING', addition: 'allowed', prose: 'words' };
const linesMax = 12;
const placesMax = 3;

/**
 * The changes of a contract in lines for a person, those that break clients first. What is written in one place of the
 * document and used in many is one line.
 *
 * @param today `YYYY-MM-DD`
 */
export function toldChanges(before: Contract, after: Contract, today: string): string[] {
  const { changes } = judgeContract(before, after, today);
  const nameOf = parameterNames(before);
  const placesOf = new Map<string, string[]>();
  for (const effect of Object.keys(effects) as Effect[]) {
    for (const change of changes.filter((each) => each.effect === effect)) {
      const { what, where } = placeOf(change, nameOf);
      const line = `${effects[effect].padEnd(8)} ${actions[change.action]} ${what}${valuesOf(change)}`;
      placesOf.set(line, [...(placesOf.get(line) ?? []), ...where]);
    }
  }
  const lines = [...placesOf].map(([line, places]) => (places.length === 0 ? line : `${line} of ${listed(places)}`));
  return lines.length <= linesMax
    ? lines
    : [...lines.slice(0, linesMax), `and ${String(lines.length - linesMax)} more`];
}

type NameOf = (path: string, method: string, index: string) => string | undefined;

/** Parameters are numbered as in the contract that was changed, and those that were added after all of them. */
function parameterNames(contract: Contract): NameOf {
  const { paths } = withoutReferences(contract);
  type WithParameters = { readonly parameters?: readonly { readonly name: string }[] } | undefined;
  return (path, method, index) => (paths[path]?.[method] as WithParameters)?.parameters?.[Number(index)]?.name;
}

interface Place {
  readonly what: string;
  readonly where: readonly string[];
}

/** Of the pointer to a field of an answer, `status` and `GET /pets 200`. */
function placeOf(change: JudgedChange, nameOf: NameOf): Place {
  const [root, path = '', method = '', ...inside] = change.at.split('/').map(unescaped);
  if (root !== 'paths') return { what: change.at, where: [] };
  const operation = `${method.toUpperCase()} ${path}`.replace('GET x-service-responses', 'every path').trim();
  const [kind, key = '', ...rest] = inside;
  if (kind === 'responses' && rest.length > 0) return { what: shortened(rest), where: [`${operation} ${key}`] };
  if (kind === 'parameters')
    return { what: shortened(['parameter', parameterName() ?? key, ...rest]), where: [operation] };
  return { what: shortened(inside) || 'operation', where: [operation] };

  function parameterName(): string | undefined {
    return nameOf(path, method, key) ?? (change.after as { readonly name?: string } | undefined)?.name;
  }
}

function unescaped(name: string): string {
  return name.replaceAll('~1', '/').replaceAll('~0', '~');
}

/** Without what only leads to a field and says nothing about it. */
function shortened(names: readonly string[]): string {
  const telling = names.filter(
    (name) => !['content', 'application/json', 'schema', 'items', 'properties'].includes(name),
  );
  return (telling.length > 0 ? telling : names).join(' ');
}

/** Numbers and the like are shown; words of people are too long to be. */
function valuesOf({ effect, before, after }: JudgedChange): string {
  const isShown = effect !== 'prose' && [before, after].every((value) => typeof value !== 'object');
  if (!isShown) return '';
  return ` (${[before, after]
    .filter((value) => value !== undefined)
    .map(String)
    .join(' → ')})`;
}

function listed(places: readonly string[]): string {
  const more = places.length - placesMax;
  return places.slice(0, placesMax).join(', ') + (more > 0 ? ` and ${String(more)} more` : '');
}
