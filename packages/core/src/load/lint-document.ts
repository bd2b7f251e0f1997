import { type Config, createConfig, lint, type NormalizedProblem } from '@redocly/openapi-core';
import type { Oas3Rule } from '@redocly/openapi-core/lib/visitors.js';
import type { UserContext } from '@redocly/openapi-core/lib/walk.js';
import type { OpenAPIV3 } from 'openapi-types';
import { booleanSchemaRule } from './boolean-schemas.js';
import { BrokenParts } from './broken-parts.js';
import { type CheckedSchema, schemaRule } from './check-schemas.js';
import { type Reference, referenceRule } from './component-references.js';
import { findEvidentMeaning } from './evident-meanings.js';
import type { FileReader } from './file-reader.js';
import type { LocatedProblem } from './problem-lines.js';
import { schemaWarningRule } from './schema-warnings.js';
import { typeExtensionOf } from './type-extension.js';

/** What a walk through a document, and through the files that it refers to, has found. */
export interface LintedDocument {
  /** The path of the document. */
  readonly ref: string;
  readonly problems: readonly LocatedProblem[];
  readonly warnings: readonly LocatedProblem[];
  /** Whether some problems would be warnings if it was lenient. */
  readonly hasEvidentMeaning: boolean;
  readonly brokenParts: BrokenParts;
  readonly schemas: readonly CheckedSchema[];
  readonly references: readonly Reference[];
  readonly config: Config;
}

export interface LintOptions {
  /** The version of OpenAPI. */
  readonly openapi: string;
  /** Whether problems with an evident meaning are repaired, in place, and become warnings. */
  readonly isLenient: boolean;
}

/** Checks the structure of a document, and collects its schemas and references. @throws Error */
export async function lintDocument(
  ref: string,
  externalRefResolver: FileReader,
  { openapi, isLenient }: LintOptions,
): Promise<LintedDocument> {
  const schemas: CheckedSchema[] = [];
  const references: Reference[] = [];
  const brokenParts = new BrokenParts();
  const typeExtension = typeExtensionOf(openapi);
  const config = await createRules(typeExtension, {
    parts: brokenParts.rule,
    booleans: booleanSchemaRule,
    schemas: schemaRule(schemas),
    references: referenceRule(references, brokenParts),
    warnings: schemaWarningRule,
    security: securityRule,
    optional: optionalRule,
  });
  const found = (await lint({ ref, externalRefResolver, config })).filter((problem) => !isAllowed(problem));
  const warnings = found.filter(({ severity }) => severity !== 'error').flatMap(locate);
  const problems: LocatedProblem[] = [];
  let hasEvidentMeaning = false;
  for (const problem of found.filter(({ severity }) => severity === 'error')) {
    const [place] = problem.location;
    const evident = place && findEvidentMeaning(problem, brokenParts.around(place));
    hasEvidentMeaning ||= evident !== undefined;
    if (isLenient && place !== undefined && evident !== undefined) {
      evident.repair();
      warnings.push({ place, message: evident.message });
    } else {
      if (problem.ruleId === 'struct') brokenParts.add(problem);
      problems.push(...locate(problem));
    }
  }
  return { ref, problems, warnings, hasEvidentMeaning, brokenParts, schemas, references, config };
}

/** The rules of Redocly for what is probably not meant as it is written. */
const warnings = { 'no-enum-type-mismatch': 'warn' } as const;

function createRules(
  typeExtension: ReturnType<typeof typeExtensionOf>,
  own: Readonly<Record<string, Oas3Rule>>,
): Promise<Config> {
  const names = ['struct', 'no-undefined-server-variable', 'path-not-include-query'];
  const rules = names.concat(Object.keys(own).map((name) => `contract/${name}`));
  return createConfig({
    plugins: [{ id: 'contract', rules: { oas3: own }, typeExtension }],
    rules: { ...Object.fromEntries(rules.map((name) => [name, 'error'] as const)), ...warnings },
    resolve: { doNotResolveExamples: true },
  });
}

/** A rule that each security requirement names a security scheme. */
const securityRule: Oas3Rule = () => {
  let names: readonly string[] = [];
  return {
    Root: ({ components }: { readonly components?: { readonly securitySchemes?: object } }) => {
      names = Object.keys(components?.securitySchemes ?? {});
    },
    SecurityRequirement: (requirement: object, context) => {
      for (const name of Object.keys(requirement).filter((each) => !names.includes(each)))
        context.report({
          message: `There is no \`${name}\` security scheme defined.`,
          location: context.location.child([name]).key(),
        });
    },
  };
};

/** A rule that path parameters are required. */
const optionalRule: Oas3Rule = () => ({
  Parameter: (parameter: object, context: UserContext) => {
    const { in: place, name = '', required } = parameter as Partial<OpenAPIV3.ParameterObject>;
    if (place === 'path' && required !== true)
      context.report({
        message: `The path parameter ${name} lacks \`required: true\`.`,
        location: context.location.key(),
      });
  },
});

/** OpenAPI allows `nullable` without a type, and variables that the URL of a server does not use. */
function isAllowed({ message }: NormalizedProblem): boolean {
  return /^The `type` field must be defined when the `nullable`|variable is not used in the server's/.test(message);
}

function locate({ message, suggest, location: [place] }: NormalizedProblem): LocatedProblem[] {
  if (place === undefined) return [];
  const hint = suggest[0] && `Did you mean ${suggest[0]}?`;
  return [{ place, message: hint ? message.replace(/\.?$/, `. ${hint}`) : message }];
}
