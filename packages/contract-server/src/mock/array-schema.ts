import type { Schema } from '@contract-server/core/contract/schemas.js';

/** A schema of arrays, without references and alternatives. */
export type ArraySchema = Schema & {
  readonly items?: unknown;
  readonly prefixItems?: readonly unknown[];
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly contains?: unknown;
  readonly minContains?: number;
  readonly maxContains?: number;
  readonly uniqueItems?: boolean;
};

/** The items of an array behind those of `prefixItems`. */
interface Items {
  /** How many there are. */
  readonly total: number;
  /** The schema of an item by its index: those that `contains` requires come first. */
  readonly nodeAt: (index: number) => unknown;
  /** Whether they have different schemas or must have different values. */
  readonly differ: boolean;
}

/** @param count how many there are at least. @param countMax how many there may be for `contains`. */
export function itemsOf(schema: ArraySchema, count: number, countMax: number): Items {
  const { items = {}, contains, minContains = 1, maxContains, uniqueItems = false } = schema;
  const contained = contains === undefined ? 0 : Math.min(minContains, countMax);
  const others = maxContains === undefined ? items : { allOf: [items, { not: contains }] };
  return {
    total: Math.max(count, contained),
    nodeAt: (index) => (index < contained ? { allOf: [items, contains] } : others),
    differ: uniqueItems || contained > 0,
  };
}
