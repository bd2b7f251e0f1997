import { type Column, columns } from '../columns.js';

/** A Pet of the contract as JSON text, so that 64-bit integers are exact. */
export const petJson = petJsonOf(columns);

/** The parameters of a statement that takes the values of all columns. */
export const columnParameters = columns.map(() => '?').join(', ');

/**
 * SQL for the JSON text of a pet: `json_object('id', id, 'name', name, …)`. Optional fields are appended before its
 * last brace, because json_object would write null.
 */
export function petJsonOf(all: readonly Column[]): string {
  const required = all.filter(({ isOptional }) => !isOptional).map(({ field, name }) => `, '${field}', ${name}`);
  const object = `json_object('id', id${required.join('')})`;
  const optional = all
    .filter(({ isOptional }) => isOptional)
    .map(({ field, name }) => `iif(${name} IS NULL, '', ',"${field}":' || json_quote(${name}))`);
  return optional.length === 0 ? object : [`rtrim(${object}, '}')`, ...optional, `'}'`].join(' || ');
}
