import type { Oas3_1Schema, Oas3Schema } from '@redocly/openapi-core';
import type { Oas3Rule } from '@redocly/openapi-core/lib/visitors.js';
import type { UserContext } from '@redocly/openapi-core/lib/walk.js';
import { typeOf } from '../json/type-of.js';
import { formats } from '../schema/create-ajv.js';
import { mayTakeLong, patternProblem } from '../schema/patterns.js';
import { matchingMsMax } from '../schema/timed-test.js';

type Schema = (Oas3Schema | Oas3_1Schema) & { readonly patternProperties?: object };

/** The formats that are validated, and those that OpenAPI defines as annotations (3.0.4, section 4.4). */
const knownFormats: readonly string[] = [...formats, 'int32', 'int64', 'float', 'double', 'password', 'binary'];

/** A rule that warns of what schemas declare but is not validated, or is validated as something else. */
export const schemaWarningRule: Oas3Rule = () => ({
  Schema: (schema: Schema, context) => {
    warnOfFormat(schema, context);
    warnOfPatterns(schema, context);
    if (isVersion30(context)) return;
    warnOfNullable(schema, context);
    warnOfConst(schema, context);
    warnOfUnknownKeywords(schema, context);
  },
  // In OpenAPI 3.1, a reference is a schema that can have other keywords.
  ref: (schema, context) => {
    if (context.type.name === 'Schema' && !isVersion30(context)) warnOfNullable(schema, context, context.rawLocation);
  },
});

function isVersion30({ oasVersion }: UserContext): boolean {
  return (oasVersion as string) === 'oas3_0';
}

function warnOfFormat({ format }: Schema, context: UserContext): void {
  if (format === undefined || knownFormats.includes(format)) return;
  report(context, 'format', `The format \`${format}\` is not validated.`);
}

function warnOfPatterns({ pattern, patternProperties = {} }: Schema, context: UserContext): void {
  const own = pattern === undefined ? [] : [['pattern', pattern] as const];
  const names = Object.keys(patternProperties).map((name) => ['patternProperties', name] as const);
  for (const [keyword, each] of [...own, ...names]) {
    const warning = typeof each === 'string' ? warningOf(each) : undefined;
    if (warning !== undefined) report(context, keyword, `The pattern \`${each}\` ${warning}.`);
  }
}

function warningOf(pattern: string): string | undefined {
  const reason = patternProblem(pattern);
  if (reason !== undefined) return `is not validated, because JavaScript cannot compile it: ${reason}`;
  if (!mayTakeLong(pattern)) return undefined;
  return `can take time that grows faster than the text; texts that take more than ${String(matchingMsMax)} ms together are rejected`;
}

/** Redocly warns of the values of `enum`. */
function warnOfConst(schema: Schema & { readonly const?: unknown }, context: UserContext): void {
  const { type: types, const: value } = schema;
  if (types === undefined || value === undefined || (value === null && 'nullable' in schema)) return;
  const type = typeOf(value);
  const names = typeof value === 'number' ? ['number', ...(Number.isInteger(value) ? ['integer'] : [])] : [type];
  if ([types].flat().some((each) => names.includes(each))) return;
  report(
    context,
    'const',
    `No value is valid: \`const\` is of type ${type}, and \`type\` is ${[types].flat().join(', ')}.`,
  );
}

function warnOfNullable(schema: object, context: UserContext, location = context.location): void {
  if (!('nullable' in schema) || schema.nullable !== true) return;
  report(context, 'nullable', '`nullable` is not part of OpenAPI 3.1; null is allowed, as in 3.0.', location);
}

function warnOfUnknownKeywords(schema: object, context: UserContext): void {
  const { properties } = context.type;
  for (const name of Object.keys(schema))
    if (!(name in properties) && name !== 'nullable' && !name.startsWith('x-'))
      report(context, name, `The keyword \`${name}\` is unknown and ignored.`);
}

function report(context: UserContext, name: string, message: string, location = context.location): void {
  context.report({ message, forceSeverity: 'warn', location: location.child([name]).key() });
}
