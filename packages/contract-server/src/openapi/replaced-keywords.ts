import { _, type Ajv, type CodeKeywordDefinition, type KeywordCxt } from 'ajv';
import { areDistinct, finderOf } from '../json/equality.js';
import type { Schema } from './exact-number.js';
import { compilePattern } from './patterns.js';

type Generate = (context: KeywordCxt) => void;

/**
 * Replaces the code of keywords of Ajv, which compares objects by `valueOf` and `constructor`, and each item of an
 * array with all others. Where all errors are collected, a value that is too long or too large has no other error:
 * describing each of its members takes time, and a pattern can take quadratic time.
 */
export function replaceKeywords(ajv: Pick<Ajv, 'RULES'>): void {
  replace(ajv, 'uniqueItems', () => (context) => {
    if (context.schema === true) failUnless(context, areDistinct);
  });
  replace(ajv, 'enum', (original) => (context) => failUnlessIn(context, context.schema as unknown[], original));
  replace(ajv, 'const', (original) => (context) => failUnlessIn(context, [context.schema], original));
  replace(ajv, 'pattern', () => matchPattern);
  for (const keyword of membersOfArrays)
    replace(
      ajv,
      keyword,
      ifWithin('maxItems', (data) => _`${data}.length`),
    );
  for (const keyword of membersOfObjects)
    replace(
      ajv,
      keyword,
      ifWithin('maxProperties', (data) => _`Object.keys(${data}).length`),
    );
}

const membersOfArrays = ['items', 'additionalItems', 'prefixItems', 'contains', 'uniqueItems'];
const membersOfObjects = ['properties', 'patternProperties', 'additionalProperties', 'propertyNames'];

function replace(ajv: Pick<Ajv, 'RULES'>, keyword: string, codeFor: (original: Generate) => Generate): void {
  const rule = ajv.RULES.all[keyword];
  // Some are of one dialect only.
  if (typeof rule !== 'object') return;
  const { code, error, ...definition } = rule.definition as CodeKeywordDefinition;
  // The error of Ajv names the two items.
  const own = keyword === 'uniqueItems' ? { message: 'must have no two equal items' } : error;
  rule.definition = {
    ...definition,
    ...(own && { error: own }),
    code: codeFor(code),
  } as typeof rule.definition;
}

function failUnlessIn(context: KeywordCxt, values: readonly unknown[], original: Generate): void {
  const isPlain = (value: unknown) => (typeof value === 'object' ? value === null : typeof value !== 'bigint');
  if (values.every(isPlain)) original(context);
  else failUnless(context, finderOf(values));
}

function failUnless(context: KeywordCxt, isValid: (value: never) => boolean): void {
  context.fail(_`!${context.gen.scopeValue('func', { ref: isValid })}(${context.data})`);
}

/** A text that is too long is invalid already. */
function matchPattern(context: KeywordCxt): void {
  const { maxLength = Infinity } = context.parentSchema as { readonly maxLength?: number };
  const expression = compilePattern(context.schema as string) ?? /(?:)/;
  failUnless(context, (text: string) => isLonger(text, maxLength) || expression.test(text));
}

/** A character has one or two code units. */
function isLonger(text: string, characters: number): boolean {
  if (text.length <= characters) return false;
  return text.length > 2 * characters || Array.from(text).length > characters;
}

/** The first error ends the other pass, and the maximum comes first. */
function ifWithin(maximum: string, countOf: (data: KeywordCxt['data']) => ReturnType<typeof _>) {
  return (original: Generate): Generate =>
    (context) => {
      const max: unknown = (context.parentSchema as Schema)[maximum];
      if (context.it.allErrors !== true || typeof max !== 'number') original(context);
      else context.gen.if(_`${countOf(context.data)} <= ${max}`, () => original(context));
    };
}
