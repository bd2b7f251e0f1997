import type { ErrorObject, Options, ValidateFunction } from 'ajv';
import addFormats, { type FormatName } from 'ajv-formats';
import type { Schemas } from '../contract/schemas.js';
import { type Translation, toAjvSchema } from './ajv-schema.js';
import { boundErrors } from './bounded-errors.js';
import { defaultsKeyword } from './default-values.js';
import { condenseErrors } from './distinct-errors.js';
import { exactNumberKeyword } from './exact-number.js';
import { OmittedMembers, type Scope } from './omitted-members.js';
import { lookUpOwnMembers } from './own-members.js';
import { ReferredSchemas } from './referred-schemas.js';
import { rememberReferences } from './remembered-references.js';
import { createSchemaAjv } from './schema-ajv.js';
import { selectBranches } from './tagged-unions.js';
import { ValidationRun } from './validation-run.js';
import { createValidator, type Validator } from './validator.js';

/** The formats that are validated. Any other is an annotation, as in JSON Schema; numbers have `exactNumber`. */
export const formats = 'email uri uuid date date-time time ipv4 ipv6 hostname byte'.split(' ') as FormatName[];

/** Compiles schemas of a contract. */
export interface SchemaCompiler {
  readonly compile: (schema: object) => Validator;
}

/**
 * Compiles schemas of a contract with Ajv, in the dialect of its version. The errors of an invalid value are reported
 * with their schemas, and defaults are filled in. The schemas are not validated themselves: `loadDocument` does that. A
 * schema that references lead to is compiled once, when the first schema that needs it is compiled.
 *
 * @param schemas where references lead.
 * @param message the values are parts of it. A request must have no fields that are `readOnly`; a response none that
 * are `writeOnly`, and no defaults are filled in.
 */
export function createAjv(schemas: Schemas, message?: MessageKind): SchemaCompiler {
  const run = new ValidationRun();
  const deciding = createPass({ schemas, message, run, options: { messages: false } });
  // For responses, errors of alternatives are collected too.
  const isRequest = message !== 'response';
  let collecting: Pass | undefined;
  const collect = (schema: object) => {
    const options = { allErrors: true, verbose: true };
    collecting ??= createPass({ schemas, message, run, options, ...(isRequest && { deciding }) });
    return collecting.compile(schema);
  };
  return { compile: (schema) => createValidator(run, deciding.compile(schema), () => collect(schema)) };
}

type MessageKind = 'request' | 'response';

interface PassOptions {
  readonly schemas: Schemas;
  readonly message?: MessageKind | undefined;
  readonly run?: ValidationRun;
  /** Those on which the translated schemas depend are replaced. */
  readonly options: Options;
  /** Validates by schemas that may not apply to a valid value, so that their errors are not reported. */
  readonly deciding?: Pass | undefined;
}

/** Compiles functions that decide whether a value is valid or, with `allErrors`, collect its errors. */
export interface Pass {
  readonly compile: (schema: object) => ValidateFunction;
  readonly referred: ReferredSchemas;
  readonly omitted: OmittedMembers | undefined;
  /** The translation of schemas that may not apply. */
  readonly alternativeIn: (place: Place) => Translation;
}

/** Creates a pass of the validation, which has an Ajv of its own. */
export function createPass({ schemas, message, options, deciding, run = new ValidationRun() }: PassOptions): Pass {
  const ajv = createSchemaAjv(schemas.isVersion30, options);
  ajv.addKeyword(exactNumberKeyword(run));
  ajv.addKeyword(defaultsKeyword(run));
  addFormats.default(ajv, formats);
  const referred = new ReferredSchemas(ajv, deciding === undefined ? 'decide:' : 'collect:');
  if (options.allErrors === true) boundErrors(ajv, deciding !== undefined);
  selectBranches(ajv);
  lookUpOwnMembers(ajv);
  rememberReferences(ajv, { run, referred, conclude: options.allErrors === true ? condenseErrors : conclude });
  if (deciding !== undefined) rememberReferences(ajv, { run, referred: deciding.referred, conclude });
  const { omitted, translationOf, alternativeIn } = createTranslations({
    schemas,
    message,
    deciding,
    referred,
    options,
  });
  const translation = message === 'response' ? alternativeIn(undefined) : translationOf(true, undefined);
  const compile = (schema: object) => {
    const translated = toAjvSchema(schema, translation) as object;
    referred.add();
    deciding?.referred.add();
    return ajv.compile(translated);
  };
  return { compile, referred, omitted, alternativeIn };
}

type Place = Scope | 'test' | undefined;

/** The translations of schemas, one for each scope, and for schemas that may not apply. */
function createTranslations({
  schemas,
  message,
  deciding,
  referred,
  options,
}: Pick<PassOptions, 'schemas' | 'message' | 'deciding' | 'options'> & Pick<Pass, 'referred'>) {
  const mark = message === 'response' ? 'writeOnly' : 'readOnly';
  const omitted = deciding?.omitted ?? (message && new OmittedMembers(schemas, mark));
  const known = [true, false].map(() => new Map<Place, Translation>());
  const translationOf = (hasDefaults: boolean, scope: Place): Translation => {
    const inScopes = known[Number(hasDefaults)];
    const translation = inScopes?.get(scope) ?? create(hasDefaults, scope);
    inScopes?.set(scope, translation);
    return translation;
  };
  const alternativeIn = deciding?.alternativeIn ?? ((scope) => translationOf(false, scope));
  const create = (hasDefaults: boolean, scope: Place): Translation => ({
    schemas,
    hasDefaults,
    alternative: () => alternativeIn(scope),
    reported: options.allErrors === true ? () => translationOf(false, scope) : undefined,
    refer: (target) => referred.idOf(target, translationOf(hasDefaults, scope)),
    omitted: scope === 'test' ? undefined : omitted,
    scope: scope === 'test' ? undefined : scope,
    within: (inner) => translationOf(hasDefaults, inner),
  });
  return { omitted, translationOf, alternativeIn };
}

/** The error of a value whose errors are not collected. */
const conclude = (_errors: unknown, instancePath: string): ErrorObject[] => [
  { keyword: '$ref', instancePath, schemaPath: '#', params: {}, message: 'is invalid' },
];
