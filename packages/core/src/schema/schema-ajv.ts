import { createRequire } from 'node:module';
import { Ajv, type Options } from 'ajv';
import type * as Dialect2020 from 'ajv/dist/2020.js';
import { correctEvaluated } from './evaluated-members.js';
import { compilePattern } from './patterns.js';
import { replaceKeywords } from './replaced-keywords.js';

export type SchemaAjv = Ajv | Dialect2020.Ajv2020;

/** The options without which Ajv does not compile the translated schemas, or validates them otherwise. */
const requiredOptions: Options = {
  strict: false,
  strictSchema: false,
  strictNumbers: false,
  strictTypes: false,
  strictTuples: false,
  strictRequired: false,
  logger: false,
  meta: false,
  validateSchema: false,
};

/** Creates Ajv for translated schemas, in the dialect of their version of OpenAPI. */
export function createSchemaAjv(isVersion30: boolean, options: Options): SchemaAjv {
  const allOptions: Options = {
    // A copy of each referenced schema without references, in each place, would take long to compile.
    inlineRefs: 10,
    ...options,
    ...requiredOptions,
    code: { regExp, ...options.code },
  };
  const ajv = isVersion30 ? new Ajv(allOptions) : createAjv2020(allOptions);
  replaceKeywords(ajv);
  correctEvaluated(ajv);
  return ajv;
}

/** Loaded only for OpenAPI 3.1, because loading it delays the start. */
function createAjv2020(options: Options): Dialect2020.Ajv2020 {
  const { Ajv2020 } = createRequire(import.meta.url)('ajv/dist/2020.js') as typeof Dialect2020;
  return new Ajv2020(options);
}

/** Ajv calls it for patterns of names; those that JavaScript cannot compile are not part of translated schemas. */
const regExp = Object.assign((pattern: string) => (compilePattern(pattern) ?? /(?:)/) as RegExp, {
  code: 'new RegExp',
});
