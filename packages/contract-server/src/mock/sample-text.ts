import type { Schema } from '@contract-server/core/contract/schemas.js';
import { compilePattern, mayTakeLong, quickLengthOf } from '@contract-server/core/schema/patterns.js';
import { sample } from 'openapi-sampler';
import { patternText } from './pattern-text.js';

const charactersMax = 10_000;

/** Texts for patterns with assertions. */
const commonTexts = [
  ...['string', 'STRING', 'String', 'example.com', 'user@example.com', 'https://example.com', 'http://example.com'],
  ...['2019-08-24', '2019-08-24T14:15:22Z', '2019-08-24 14:15:22', '14:15', '14:15:22', 'en', 'en-US', 'US', 'USD'],
  ...['1', '10', '123', '1234', '12345', '1.0', '1.0.0', 'v1', 'a1', 'A1', '#00ff00', '192.168.0.1', '+12025550123'],
  ...['0x0', '/', 'arn:aws:iam::123456789012:role/example', 'P1D', 'Passw0rd!', 'Passw0rd!Passw0'],
] as const;

const uri = (text: string) => [`https://example.com/${text}`, `http://a.co/${text}`, 'http://a.co', 'a:b'];
const reference = (text: string) => [...uri(text), `/${text}`];
const email = (text: string) => [`user${text}@example.com`, `a${text}@b.co`, `a${text}@b`];
const host = (text: string) => [`${text.match(/.{1,60}/g)?.join('.') ?? 'www'}.example.com`, 'a.co', 'a'];
const digits = (text: string, count: number) => String(text.length + 1).padStart(count, '0');

/** Texts of a format, the best one first, each of which contains a text of any length if the format allows that. */
const formats: Readonly<Record<string, (text: string) => readonly string[]>> = {
  ...{ uri, iri: uri, 'uri-template': uri, url: uri, 'uri-reference': reference, 'iri-reference': reference },
  ...{ email, 'idn-email': email, hostname: host, 'idn-hostname': host },
  byte: (text) => [Buffer.from(text.padEnd(Math.ceil(text.length * 0.75), 'a')).toString('base64'), 'YQ=='],
  uuid: (text) => [`00000000-0000-4000-8000-${digits(text, 12)}`],
  date: (text) => [`2019-08-${String((text.length % 28) + 1).padStart(2, '0')}`],
  'date-time': (text) => [`2019-08-24T14:15:${String(text.length % 60).padStart(2, '0')}Z`],
  time: (text) => [`14:15:${String(text.length % 60).padStart(2, '0')}Z`],
  duration: (text) => [`P${String(text.length + 1)}D`],
  ipv4: (text) => [`192.168.0.${String((text.length % 250) + 1)}`, '1.1.1.1'],
  ipv6: (text) => [`2001:db8::${digits(text, 1)}`, `::${digits(text, 1)}`],
  'json-pointer': (text) => [`/${text}`, ''],
};

/**
 * A text of a schema; `undefined` if none is found.
 *
 * @param variant selects another text, so that several differ.
 */
export function sampleText(schema: Schema, variant = 0): string | undefined {
  const { format, pattern = '', minLength = 0, maxLength } = schema as StringSchema;
  if (minLength > charactersMax) return undefined;
  const isLong = (text: string) => isWithin(Array.from(text).length, minLength, maxLength);
  const texts = textsOf(format, minLength, maxLength, variant).filter(isLong);
  // One that JavaScript cannot compile is not validated.
  const expression = compilePattern(pattern);
  if (expression === undefined || pattern === '') return texts[0];
  const common = variant === 0 ? commonTexts.filter(isLong) : [];
  const isQuick = (text: string) => text.length <= quickLengthOf(pattern) || !mayTakeLong(pattern);
  const isValid = (text: string) => isQuick(text) && expression.test(text);
  return [...texts, ...common].find(isValid) ?? generatedText(pattern, { minLength, variant, isLong, isValid });
}

function isWithin(length: number, minimum: number, maximum = Infinity): boolean {
  return length >= minimum && length <= maximum;
}

interface Generation {
  readonly minLength: number;
  readonly variant: number;
  readonly isLong: (text: string) => boolean;
  readonly isValid: (text: string) => boolean;
}

/** A text that is generated from a pattern, and so matches it in most cases, or one that is padded. */
function generatedText(pattern: string, { minLength, variant, isLong, isValid }: Generation): string | undefined {
  const generated = [0, 1, 3, minLength].flatMap((extra) => patternText(pattern, { extra, variant }) ?? []);
  const expression = hasAssertion.test(pattern) ? undefined : compilePattern(pattern);
  const matches = (text: string) => isValid(text) || expression?.test(text) === true;
  const found = generated.filter(isLong).find(matches);
  return found ?? generated.flatMap((text) => padded(text, minLength)).find((text) => isLong(text) && isValid(text));
}

/** What a generated text can violate, which may take long to find out. */
const hasAssertion = /\(\?<?[=!]|\\[bB]/;

function padded(text: string, minLength: number): readonly string[] {
  return [text.padEnd(minLength, 'a'), text.padStart(minLength, 'a')];
}

/** Texts of a format, or any. */
function textsOf(format = '', minLength: number, maxLength = Infinity, variant: number): readonly string[] {
  const suffix = variant === 0 ? '' : String(variant);
  const { [format]: write } = formats;
  if (write === undefined) {
    const known = format === '' ? [] : [sampleString({ format })];
    const plain = sampleString({ minLength, maxLength: Math.min(maxLength, charactersMax) });
    const end = plain.slice(0, Math.max(0, Math.min(plain.length, maxLength - suffix.length))) + suffix;
    return variant === 0 ? [...known, plain] : [end, ...known];
  }
  // Some formats contain a text, whose length then decides theirs.
  const filler = 'a'.repeat(variant);
  const lengths = [0, ...write(filler).map(({ length }) => minLength - length), minLength];
  return lengths.flatMap((length) => write(filler + 'a'.repeat(Math.max(length, 0))));
}

function sampleString(schema: object): string {
  return sample({ ...schema, type: 'string' }, { quiet: true }) as string;
}

interface StringSchema {
  readonly format?: string;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
}
