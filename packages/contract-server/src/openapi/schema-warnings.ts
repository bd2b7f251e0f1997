import type { Oas3_1Schema, Oas3Schema } from '@redocly/openapi-core';
import type { Oas3Rule } from '@redocly/openapi-core/lib/visitors.js';
import type { UserContext } from '@redocly/openapi-core/lib/walk.js';
import { formats } from './create-ajv.js';
import { patternProblem } from './patterns.js';

/** The formats that are validated, and those that OpenAPI defines as annotations (3.0.4, section 4.4). */
const knownFormats: readonly string[] = [...formats, 'int32', 'int64', 'float', 'double', 'password', 'binary'];

/** A rule that warns of what schemas declare but is not validated, or only as something else. */
export const schemaWarningRule: Oas3Rule = () => ({
  Schema: (schema: Oas3Schema | Oas3_1Schema, context) => warn(schema, context),
  // In OpenAPI 3.1, a reference is a schema that can have other keywords.
  ref: (schema, context) => {
    if (context.type.name === 'Schema' && context.oasVersion !== 'oas3_0') warnOfNullable(schema, context);
  },
});

function warn(schema: Oas3Schema | Oas3_1Schema, context: UserContext): void {
  const { format, pattern } = schema;
  const { patternProperties = {} } = schema as { readonly patternProperties?: object };
  const report = (name: string, message: string) => reportAt(context, name, message);
  if (format !== undefined && !knownFormats.includes(format))
    report('format', `The format \`${format}\` is not validated.`);
  for (const [name, each] of [
    ['pattern', pattern],
    ...Object.keys(patternProperties).map((key) => ['patternProperties', key]),
  ]) {
    const problem = typeof each === 'string' ? patternProblem(each) : undefined;
    if (problem !== undefined) report(name ?? '', `The pattern \`${each ?? ''}\` is not validated: ${problem}.`);
  }
  if (context.oasVersion === 'oas3_0') return;
  warnOfNullable(schema, context);
  const { properties } = context.type;
  for (const name of Object.keys(schema))
    if (!(name in properties) && name !== 'nullable' && !name.startsWith('x-'))
      report(name, `The keyword \`${name}\` is unknown, and ignored.`);
}

function warnOfNullable(schema: object, context: UserContext): void {
  if ('nullable' in schema && schema.nullable === true)
    reportAt(context, 'nullable', '`nullable` is not part of OpenAPI 3.1; null is allowed, as in 3.0.');
}

function reportAt({ report, rawNode, rawLocation, location }: UserContext, name: string, message: string): void {
  const own = 'nullable' === name && name in (rawNode as object) ? rawLocation : location;
  report({ message, forceSeverity: 'warn', location: own.child([name]).key() });
}
