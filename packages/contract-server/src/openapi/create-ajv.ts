import { createRequire } from 'node:module';
import { Ajv, type Options } from 'ajv';
import type * as Dialect2020 from 'ajv/dist/2020.js';
import addFormats, { type FormatName } from 'ajv-formats';
import { mapValues, type Translation, toAjvSchema } from './ajv-schema.js';
import { exactNumberKeyword, type Schema } from './exact-number.js';

/** The formats that are validated. Any other is an annotation, as in JSON Schema; numbers have `exactNumber`. */
const formats = 'email uri uuid date date-time time ipv4 ipv6 hostname byte'.split(' ') as FormatName[];

/** The options without which Ajv does not compile the translated schemas, or validates them otherwise. */
const requiredOptions: Options = {
  strict: false,
  strictSchema: false,
  strictNumbers: false,
  strictTypes: false,
  strictTuples: false,
  strictRequired: false,
  discriminator: true,
  logger: false,
  meta: false,
  validateSchema: false,
};

/** A document whose schemas are compiled, of any version. */
export type SchemaDocument = Translation['document'];

/**
 * Creates Ajv for schemas of a contract, in the dialect of its version. Every error is reported, with its schema, and
 * defaults are filled in. The schemas are not validated themselves: `loadDocument` does that.
 *
 * @param document where references lead.
 * @param message the values are parts of it. A request must have no fields that are `readOnly`; a response none that
 * are `writeOnly`, and no defaults are filled in.
 */
export function createAjv(document: SchemaDocument, message?: MessageKind): SchemaAjv {
  const options = { allErrors: true, verbose: true, useDefaults: message !== 'response' };
  return createCustomAjv({ document, message, options, customize: (ajv) => addFormats.default(ajv, formats) });
}

type MessageKind = 'request' | 'response';

export type SchemaAjv = Ajv | Dialect2020.Ajv2020;

export interface CustomAjv {
  readonly document: SchemaDocument;
  readonly message?: MessageKind | undefined;
  /** Those on which the translated schemas depend are replaced. */
  readonly options: Options;
  /** Adds formats and keywords. */
  readonly customize: (ajv: SchemaAjv) => void;
}

/** Creates Ajv like `createAjv`, with other options, formats and keywords. */
export function createCustomAjv({ document, message, options, customize }: CustomAjv): SchemaAjv {
  const isVersion30 = document.openapi.startsWith('3.0');
  const allOptions: Options = {
    useDefaults: true,
    ...options,
    ...requiredOptions,
    code: { regExp, ...options.code },
  };
  const ajv = isVersion30 ? new Ajv(allOptions) : createAjv2020(allOptions);
  ajv.addKeyword(exactNumberKeyword);
  customize(ajv);
  const add = (own: Translation) => void ajv.addSchema(withSchemas(document, own) as object, own.id);
  let alternative: Translation | undefined;
  const translation: Translation = {
    id: 'contract',
    hasDefaults: true,
    alternative: () => {
      if (alternative === undefined) add((alternative = { ...translation, id: 'alternative', hasDefaults: false }));
      return alternative;
    },
    document,
    isVersion30,
    omitted: message && (message === 'request' ? 'readOnly' : 'writeOnly'),
  };
  add(translation);
  const compile = ajv.compile.bind(ajv);
  ajv.compile = ((schema: object) => compile(toAjvSchema(schema, translation) as object)) as typeof ajv.compile;
  return ajv;
}

/** Loaded only for OpenAPI 3.1, because loading it delays the start. */
function createAjv2020(options: Options): Dialect2020.Ajv2020 {
  const { Ajv2020 } = createRequire(import.meta.url)('ajv/dist/2020.js') as typeof Dialect2020;
  return new Ajv2020(options);
}

/** Many patterns escape characters that need it in no mode: in Unicode mode, which Ajv uses, that is a syntax error. */
const regExp = Object.assign(
  (pattern: string, flags: string) => {
    try {
      return new RegExp(pattern, flags);
    } catch {
      return new RegExp(pattern);
    }
  },
  { code: 'new RegExp' },
);

/** A copy of a part of the document with its schemas for Ajv: a reference can lead to any of them. */
function withSchemas(node: unknown, translation: Translation): unknown {
  if (Array.isArray(node)) return node.map((item) => withSchemas(item, translation));
  if (typeof node !== 'object' || node === null) return node;
  const translate = (schema: unknown) => toAjvSchema(schema, translation);
  const entries = Object.entries(node).map(([name, value]): [string, unknown] => {
    if (name === 'schema') return [name, translate(value)];
    if (name === 'schemas') return [name, mapValues(value as Schema, translate)];
    return [name, name.startsWith('example') ? undefined : withSchemas(value, translation)];
  });
  return Object.fromEntries(entries);
}
