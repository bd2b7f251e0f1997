import type { Contract, Operation } from '@contract-server/core/contract/contract.js';
import { memberOf } from '@contract-server/core/json/object-members.js';
import { StartError } from '@contract-server/core/lib/errors.js';
import { describeValue, suggestion, throwIfAny } from '@contract-server/core/lib/option-rules.js';
import type { AnyHooks } from '@contract-server/core/types/hooks.js';
import type { AnyHandlers } from '@contract-server/core/types/types.js';

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
      return `The handler of ${id} must be a function, not ${describeValue(handler)}.`;
    }),
  ]);
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
        return `The hook of ${id} in \`${group}\` must be a function, not ${describeValue(hook)}.`;
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
