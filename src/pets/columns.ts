import { type Int64, type Json, stringifyJson } from 'contract-server';
import type { NewPet, Pet } from './pet-store.js';

interface ColumnProperties {
  readonly name: string;
  /** The type in PostgreSQL. */
  readonly type: 'text' | 'bigint';
  /** Whether a pet can lack the field: the column is null then, and JSON text omits it. */
  readonly isOptional?: boolean;
}

type ColumnOf<Value> = ColumnProperties & (undefined extends Value ? { readonly isOptional: true } : unknown);

/**
 * The columns of a pet besides its id, by the field of the contract. Everything that reads or writes pets is derived
 * from them: the statements of both engines, and the response of createPet.
 */
const columnByField = {
  name: { name: 'name', type: 'text' },
  categoryId: { name: 'category_id', type: 'bigint' },
  status: { name: 'status', type: 'text' },
} as const satisfies { readonly [Field in keyof Required<NewPet>]: ColumnOf<NewPet[Field]> };

export type Column = ColumnProperties & { readonly field: string };

/** The fields and their columns, in the order of the JSON text, in which optional fields are last. */
export const columns = Object.entries<ColumnProperties>(columnByField)
  .map(([field, column]) => ({ field: field as keyof typeof columnByField, ...column }))
  .sort((one, other) => Number(one.isOptional ?? false) - Number(other.isOptional ?? false));

/** `name, category_id, status`, for statements. */
export const columnNames = columns.map(({ name }) => name).join(', ');

/** The values of the columns, in their order; null for a field that the pet lacks. */
export function valuesOf(pet: Partial<NewPet>): (string | Int64 | null)[] {
  return columns.map(({ field }) => pet[field] ?? null);
}

/** A Pet as JSON text: the same as that of the stores. */
export function toJson(id: number, pet: NewPet): Json<Pet> {
  const values: Partial<Record<keyof Pet, unknown>> = { id };
  for (const { field } of columns) values[field] = pet[field];
  return stringifyJson(values as Pet);
}
