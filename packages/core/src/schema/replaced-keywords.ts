import { _, type Ajv, type KeywordCxt } from 'ajv';
import type { Schema } from '../contract/schemas.js';
import { areDistinct, finderOf } from '../json/equality.js';
import { compilePattern } from './patterns.js';
import { type GenerateCode, replaceCode } from './replace-code.js';

/**
 * Replaces the code of keywords of Ajv, which compares objects by `valueOf` and `constructor`, and each item of an
 * array with all others. Where all errors are collected, a value that is too long or too large has no other error:
 * describing each of its members takes time, as matching a pattern does.
 */
export function replaceKeywords(ajv: Pick<Ajv, 'RULES'>): void {
  // The error of Ajv names the two items.
  replaceCode(ajv, 'uniqueItems', () => failUnlessDistinct, { error: { message: 'must have no two equal items' } });
  replaceCode(ajv, 'enum', (original) => (context) => failUnlessIn(context, context.schema as unknown[], original));
  replaceCode(ajv, 'const', (original) => (context) => failUnlessIn(context, [context.schema], original));
  replaceCode(ajv, 'pattern', () => matchPattern);
  const withinItems = ifWithin('maxItems', (data) => _`${data}.length`);
  const withinProperties = ifWithin('maxProperties', (data) => _`Object.keys(${data}).length`);
  for (const keyword of membersOfArrays) replaceCode(ajv, keyword, withinItems);
  for (const keyword of membersOfObjects) replaceCode(ajv, keyword, withinProperties);
}

const membersOfArrays = ['items', 'additionalItems', 'prefixItems', 'contains', 'uniqueItems'];
const membersOfObjects = ['properties', 'patternProperties', 'additionalProperties', 'propertyNames'];

function failUnlessDistinct(context: KeywordCxt): void {
  if (context.schema === true) failUnless(context, areDistinct);
}

function failUnlessIn(context: KeywordCxt, values: readonly unknown[], original: GenerateCode): void {
  // A `bigint` equals no double by `===`.
  const isPlain = (value: unknown) =>
    typeof value === 'object' ? value === null : typeof value !== 'bigint' && !isUnsafe(value);
  if (values.every(isPlain)) original(context);
  else failUnless(context, finderOf(values));
}

function isUnsafe(value: unknown): boolean {
  return Number.isInteger(value) && !Number.isSafeInteger(value);
}

function failUnless(context: KeywordCxt, isValid: (value: never) => boolean): void {
  context.fail(_`!${context.gen.scopeValue('func', { ref: isValid })}(${context.data})`);
}

/** A text that is too long is invalid already. */
function matchPattern(context: KeywordCxt): void {
  const { maxLength = Infinity } = context.parentSchema as { readonly maxLength?: number };
  const compiled = compilePattern(context.schema as string, maxLength) ?? /(?:)/;
  failUnless(context, (text: string) => isLonger(text, maxLength) || compiled.test(text));
}

/** A character has one or two code units. */
function isLonger(text: string, characters: number): boolean {
  if (text.length <= characters) return false;
  return text.length > 2 * characters || Array.from(text).length > characters;
}

/** The first error ends the other pass, and the maximum comes first. */
function ifWithin(maximum: string, countOf: (data: KeywordCxt['data']) => ReturnType<typeof _>) {
  return (original: GenerateCode): GenerateCode =>
    (context) => {
      const max: unknown = (context.parentSchema as Schema)[maximum];
      if (context.it.allErrors !== true || typeof max !== 'number') original(context);
      else context.gen.if(_`${countOf(context.data)} <= ${max}`, () => original(context));
    };
}
