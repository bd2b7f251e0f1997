import type { ComparedDocument } from '#dist/compared-document.js';
import { diffContract } from '#dist/diff-contract.js';

/** The worst effect of all changes; `none` without a change. */
export type Worst = 'breaking' | 'non-breaking' | 'annotation' | 'none';

type Json = Readonly<Record<string, unknown>>;
const order = ['breaking', 'non-breaking', 'annotation'] as const;
const today = '2030-01-01';

export function diffOf(before: object, after: object) {
  return diffContract(before as ComparedDocument, after as ComparedDocument, today);
}

export function worstOf(before: object, after: object): Worst {
  const { changes } = diffOf(before, after);
  return order.find((effect) => changes.some((change) => change.effect === effect)) ?? 'none';
}

/** A contract with one operation. */
export const contractWith = (operation: Json, { openapi = '3.1.1', item = {}, ...root }: Json = {}) => ({
  openapi,
  info: { title: 'Rules', version: '1.0.0' },
  paths: { '/things/{id}': { ...(item as Json), post: { operationId: 'act', responses: {}, ...operation } } },
  ...root,
});

export const json = (schema: unknown, more: Json = {}) => ({ 'application/json': { schema, ...more } });
export const body = (schema: unknown) => ({ requestBody: { content: json(schema) } });
export const withResponse = (schema: unknown) => ({
  responses: { 200: { description: 'Done', content: json(schema) } },
});

/** The worst effects of a schema that changes in a request, and in a response. */
export function effectsOfSchemas(
  before: unknown,
  after: unknown,
  roots: readonly [Json, Json],
): readonly [Worst, Worst] {
  const [old, current] = roots;
  return [
    worstOf(contractWith(body(before), old), contractWith(body(after), current)),
    worstOf(contractWith(withResponse(before), old), contractWith(withResponse(after), current)),
  ];
}
