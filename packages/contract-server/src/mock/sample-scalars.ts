import { sample } from 'openapi-sampler';
import type { Schema } from '../openapi/exact-number.js';
import { compilePattern } from '../openapi/patterns.js';

const charactersMax = 10_000;

/** Texts of many patterns, which openapi-sampler does not support: it knows no groups and no alternatives. */
const commonTexts = [
  ...['string', 'STRING', 'String', 'example.com', 'user@example.com', 'https://example.com', 'http://example.com'],
  ...['2019-08-24', '2019-08-24T14:15:22Z', '2019-08-24 14:15:22', '14:15', '14:15:22', 'en', 'en-US', 'US', 'USD'],
  ...['1', '10', '123', '1234', '12345', '1.0', '1.0.0', 'v1', 'a1', 'A1', '#00ff00', '192.168.0.1', '+12025550123'],
  ...['0x0', '/', 'arn:aws:iam::123456789012:role/example', 'P1D', '00000000-0000-4000-8000-000000000000'],
] as const;

/** A text of a schema; `undefined` if none is found. */
export function sampleText(schema: Schema): string | undefined {
  const { format, pattern = '', minLength = 0, maxLength = Infinity } = schema as StringSchema;
  if (minLength > charactersMax) return undefined;
  const formatted = format === undefined ? [] : [format === 'byte' ? 'c3RyaW5n' : sampleString({ format })];
  const plain = [...formatted, sampleString({ minLength, maxLength })];
  // One that JavaScript cannot compile is not validated.
  const expression = compilePattern(pattern);
  const isLong = ({ length }: string) => length >= minLength && length <= maxLength;
  const isValid = (text: string) => isLong(text) && expression?.test(text) !== false;
  const found = [...plain, ...commonTexts].find(isValid);
  return found ?? (expression === undefined ? undefined : samplePattern(pattern).find(isValid));
}

/** Texts that may match; none for a pattern whose text could take long to generate. */
function samplePattern(pattern: string): readonly string[] {
  if (pattern.length > 200 || /\{\d{4}/.test(pattern)) return [];
  const simple = withoutGroups(pattern);
  // What can be repeated, once and often enough for a minimum length.
  return [pattern, simple, simple.replace(/[+*](?=$|[^\]])/g, '{1}'), simple.replace(/[+*](?=$|[^\]])/g, '{9}')].map(
    (each) => sampleString({ pattern: each }),
  );
}

/** A pattern without groups, alternatives, assertions and escapes, whose texts match the pattern too, in most cases. */
function withoutGroups(pattern: string): string {
  let simple = pattern
    .replace(/\\d/g, '[0-9]')
    .replace(/\\w/g, '[a-z]')
    .replace(/\\s/g, ' ')
    .replace(/\\[bB]|[$^](?!\w*\])/g, '')
    .replace(/\\(.)/g, '$1');
  const innermost = /\((\?[:=!]|\?<\w*[=!>])?([^()|]*)(?:\|[^()]*)?\)(\?|\*|\+|\{(\d+)(?:,\d*)?\})?/;
  for (let found = innermost.exec(simple); found !== null; found = innermost.exec(simple)) {
    const [whole, kind = '', text = '', , count = '1'] = found;
    const isAssertion = /[=!]/.test(kind);
    simple = simple.replace(whole, () => (isAssertion ? '' : text.repeat(Math.min(Number(count), 100))));
    if (simple.length > 1000) return '';
  }
  return simple.replace(/\|.*/, '');
}

function sampleString(schema: object): string {
  return sample({ ...schema, type: 'string' }, { quiet: true, enablePatterns: true }) as string;
}

/** A number of a schema, which may violate it. */
export function sampleNumber({ type, format, multipleOf, ...schema }: NumberSchema): number {
  const isInteger = ![type].flat().includes('number');
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
  const bounds = { minimum, maximum, exclusiveMinimum, exclusiveMaximum, format };
  const number = sample({ ...bounds, type: isInteger ? 'integer' : 'number' } as object, { quiet: true }) as number;
  const step = multipleOf ?? (isInteger ? 1 : undefined);
  return step === undefined ? number : Math.ceil(number / step) * step;
}

type NumberSchema = Schema & { readonly multipleOf?: number };

interface StringSchema {
  readonly format?: string;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
}
