import levenshtein from 'js-levenshtein';
import type { Contract, Operation } from '../contract/contract.js';
import { memberOf } from '../json/object-members.js';
import { StartError } from '../lib/errors.js';
import type { AnyHooks } from '../types/hooks.js';
import type { AnyHandlers } from '../types/types.js';

/** Whether each option is required, by its name. The compiler compares the names with the type of the options. */
export type OptionNames<Options> = Readonly<Record<keyof Options, boolean>>;

/** @throws StartError for unknown and missing options, in applications without types. */
export function requireOptions(owner: string, options: object, names: Readonly<Record<string, boolean>>): void {
  const given = options as Readonly<Record<string, unknown>>;
  const known = Object.keys(names);
  throwIfAny([
    ...known
      .filter((name) => names[name] === true && given[name] === undefined)
      .map((name) => `${owner} needs the option \`${name}\`.`),
    ...Object.keys(given)
      .filter((name) => !Object.hasOwn(names, name))
      .map((name) => `${owner} has no option \`${name}\`.${suggestion(name, known)}`),
  ]);
}

/**
 * Requires a handler for each operation that declares a success, as the types of handlers do.
 *
 * @throws StartError with a line for each problem; missing handlers are one.
 */
export function requireHandlers(
  { operations, byId }: Contract,
  handlers: AnyHandlers,
  { isPartial, canPassOn }: HandlerRules,
): void {
  const ids = [...byId.keys()];
  const isMissing = ({ id, responses }: Operation) => responses.haveSuccess && memberOf(handlers, id) === undefined;
  const missing = isPartial ? [] : operations.filter(isMissing).map(({ id }) => id);
  throwIfAny([
    ...(missing.length === 0 ? [] : [`Operations without a handler: ${missing.join(', ')}.`]),
    ...Object.keys(handlers).flatMap((id) => {
      if (!byId.has(id)) return `\`handlers\` has \`${id}\`, which is no operation.${suggestion(id, ids)}`;
      const handler: unknown = handlers[id];
      if (typeof handler === 'function' || handler === undefined || (canPassOn && handler === 'next')) return [];
      return `The handler of ${id} must be a function, not ${describe(handler)}.`;
    }),
  ]);
}

/** @throws StartError for settings that a service does not have. */
export function requireSettings(settings: object, known: readonly string[]): void {
  const unknown = Object.keys(settings).filter((name) => !known.includes(name));
  throwIfAny(unknown.map((name) => `The service has no setting \`${name}\`.${suggestion(name, known)}`));
}

/** @throws StartError for hooks of no operation, and for hooks that cannot be called. */
export function requireHooks({ byId }: Contract, hooks: AnyHooks): void {
  const names = [...byId.keys(), '*'];
  const groups = [['before', hooks.before] as const, ['after', hooks.after] as const];
  throwIfAny(
    groups.flatMap(([group, members = {}]) =>
      Object.entries<unknown>(members).flatMap(([id, hook]) => {
        if (!names.includes(id)) return `\`${group}\` has \`${id}\`, which is no operation.${suggestion(id, names)}`;
        if (typeof hook === 'function' || hook === undefined) return [];
        return `The hook of ${id} in \`${group}\` must be a function, not ${describe(hook)}.`;
      }),
    ),
  );
}

interface HandlerRules {
  /** Whether handlers may be missing. */
  readonly isPartial: boolean;
  /** Whether `'next'` is a handler: only the application of a router has a next route. */
  readonly canPassOn: boolean;
}

/** @throws StartError for a security handler that cannot be called. */
export function requireSecurityHandler(name: string, handler: unknown): void {
  if (typeof handler === 'function' || (typeof handler === 'object' && handler !== null)) return;
  throw new StartError(`The security handler ${name} must be a function, not ${describe(handler)}.`);
}

/**
 * Express 4 does not handle rejected promises of middleware. Version 5 has no `express.query`.
 *
 * @throws StartError for Express 4 under the name `express`.
 */
export function requireExpress5(express: object): void {
  if (!('query' in express)) return;
  const alias = 'An application can import Express 4 by another name: npm install express4@npm:express@4.';
  throw new StartError(`contract-server needs the package express in version 5. ${alias}`);
}

function describe(value: unknown): string {
  if (value === null || typeof value === 'boolean') return String(value);
  if (value instanceof Promise) return 'a promise';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/** The most similar name, unless more than a third of it differs. */
function suggestion(name: string, names: readonly string[]): string {
  const distances = names.map((each) => [each, levenshtein(name.toLowerCase(), each.toLowerCase())] as const);
  const [nearest] = distances.sort(([, one], [, other]) => one - other);
  if (nearest === undefined || nearest[1] > Math.max(2, nearest[0].length / 3)) return '';
  return ` Did you mean \`${nearest[0]}\`?`;
}

function throwIfAny(problems: readonly string[]): void {
  if (problems.length > 0) throw new StartError(problems.join('\n'));
}
