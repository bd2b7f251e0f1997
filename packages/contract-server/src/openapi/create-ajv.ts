import { createRequire } from 'node:module';
import { Ajv, type Options } from 'ajv';
import type * as Dialect2020 from 'ajv/dist/2020.js';
import addFormats, { type FormatName } from 'ajv-formats';
import { type Translation, toAjvSchema } from './ajv-schema.js';
import { exactNumberKeyword } from './exact-number.js';
import { compilePattern } from './patterns.js';

/** The formats that are validated. Any other is an annotation, as in JSON Schema; numbers have `exactNumber`. */
export const formats = 'email uri uuid date date-time time ipv4 ipv6 hostname byte'.split(' ') as FormatName[];

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
 * defaults are filled in. The schemas are not validated themselves: `loadDocument` does that. A schema that references
 * lead to is compiled once, when the first schema that needs it is compiled.
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
    // A copy of each referenced schema without references, in each place, would take long to compile.
    inlineRefs: 10,
    ...options,
    ...requiredOptions,
    code: { regExp, ...options.code },
  };
  const ajv = isVersion30 ? new Ajv(allOptions) : createAjv2020(allOptions);
  ajv.addKeyword(exactNumberKeyword);
  customize(ajv);
  const schemas = new ReferredSchemas(ajv);
  const translationOf = (hasDefaults: boolean): Translation => ({
    document,
    isVersion30,
    hasDefaults,
    alternative: () => alternative,
    refer: (target) => schemas.idOf(target, hasDefaults ? translation : alternative),
    omitted: message && (message === 'request' ? 'readOnly' : 'writeOnly'),
  });
  const translation = translationOf(true);
  const alternative = translationOf(false);
  const compile = ajv.compile.bind(ajv);
  ajv.compile = ((schema: object) => {
    const translated = toAjvSchema(schema, translation) as object;
    schemas.add();
    return compile(translated);
  }) as typeof ajv.compile;
  return ajv;
}

/** Loaded only for OpenAPI 3.1, because loading it delays the start. */
function createAjv2020(options: Options): Dialect2020.Ajv2020 {
  const { Ajv2020 } = createRequire(import.meta.url)('ajv/dist/2020.js') as typeof Dialect2020;
  return new Ajv2020(options);
}

/** The schemas that references lead to, each of which Ajv knows by an id. */
class ReferredSchemas {
  private readonly ids = new Map<Translation, Map<object, string>>();
  private readonly missing: (readonly [id: string, target: object, translation: Translation])[] = [];
  private count = 0;

  constructor(private readonly ajv: SchemaAjv) {}

  /** The id of a schema of the contract in a translation. */
  idOf(target: object, translation: Translation): string {
    const ids = this.ids.get(translation) ?? new Map<object, string>();
    this.ids.set(translation, ids);
    const known = ids.get(target);
    if (known !== undefined) return known;
    const id = `contract:${String((this.count += 1))}`;
    ids.set(target, id);
    this.missing.push([id, target, translation]);
    return id;
  }

  /** Adds the schemas whose ids were asked for, and those that they refer to in turn. */
  add(): void {
    for (let next = this.missing.pop(); next !== undefined; next = this.missing.pop()) {
      const [id, target, translation] = next;
      this.ajv.addSchema(toAjvSchema(target, translation) as object, id);
    }
  }
}

/** Ajv calls it for patterns; those that JavaScript cannot compile are not part of translated schemas. */
const regExp = Object.assign((pattern: string, flags: string) => compilePattern(pattern, flags) ?? /(?:)/, {
  code: 'new RegExp',
});
