import { type Column, columns } from '../columns.js';
import type { NewPet } from '../pet-store.js';

/** A Pet of the contract as JSON text, so that 64-bit integers are exact. The same text as in SQLite. */
export const petJson = petJsonOf(columns);

export const columnTypes = columns.map(({ type }) => type);

/** SQL for the JSON text of a pet: `'{"id":' || id || ',"name":' || to_json(name) || … || '}'`. */
export function petJsonOf(all: readonly Column[]): string {
  const members = all.map(({ field, name, type, isOptional }) => {
    const member = `',"${field}":' || ${type === 'text' ? `to_json(${name})` : name}`;
    return isOptional ? `coalesce(${member}, '')` : member;
  });
  return [`'{"id":' || id`, ...members, `'}'`].join(' || ');
}

/** Parameters of a statement that are arrays, from the number `first` on: `$1::text[], $2::bigint[]`. */
export function arrayParameters(types: readonly string[], first = 1): string {
  return types.map((type, index) => `$${String(first + index)}::${type}[]`).join(', ');
}

/** The values of pets as arrays, one per column. */
export function columnArrays(pets: readonly NewPet[]): unknown[][] {
  return columns.map(({ field }) => pets.map((pet) => pet[field]));
}
