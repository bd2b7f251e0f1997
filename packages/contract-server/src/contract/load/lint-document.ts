import { type Config, createConfig, lint, type NormalizedProblem } from '@redocly/openapi-core';
import type { Oas3Rule } from '@redocly/openapi-core/lib/visitors.js';
import { booleanSchemaRule } from './boolean-schemas.js';
import { BrokenParts } from './broken-parts.js';
import { type CheckedSchema, schemaRule } from './check-schemas.js';
import { type Reference, referenceRule } from './component-references.js';
import type { FileReader } from './file-reader.js';
import type { LocatedProblem } from './problem-lines.js';
import { schemaWarningRule } from './schema-warnings.js';
import { typeExtension } from './type-extension.js';

/** What a walk through a document, and through the files that it refers to, has found. */
export interface LintedDocument {
  /** The path of the document. */
  readonly ref: string;
  readonly problems: readonly LocatedProblem[];
  readonly warnings: readonly LocatedProblem[];
  readonly brokenParts: BrokenParts;
  readonly schemas: readonly CheckedSchema[];
  readonly references: readonly Reference[];
  readonly config: Config;
}

/** Checks the structure of a document, and collects its schemas and references. @throws Error */
export async function lintDocument(ref: string, externalRefResolver: FileReader): Promise<LintedDocument> {
  const schemas: CheckedSchema[] = [];
  const references: Reference[] = [];
  const brokenParts = new BrokenParts();
  const config = await createRules({
    parts: brokenParts.rule,
    booleans: booleanSchemaRule,
    schemas: schemaRule(schemas),
    references: referenceRule(references, brokenParts),
    warnings: schemaWarningRule,
    security: securityRule,
  });
  const found = (await lint({ ref, externalRefResolver, config })).filter((problem) => !isAllowed(problem));
  const errors = found.filter(({ severity }) => severity === 'error');
  for (const problem of errors) if (problem.ruleId === 'struct') brokenParts.add(problem);
  const warnings = found.filter(({ severity }) => severity !== 'error');
  const located = { problems: errors.flatMap(locate), warnings: warnings.flatMap(locate) };
  return { ref, ...located, brokenParts, schemas, references, config };
}

/** The rules of Redocly for what is probably not meant as it is written. */
const warnings = { 'no-enum-type-mismatch': 'warn' } as const;

function createRules(own: Readonly<Record<string, Oas3Rule>>): Promise<Config> {
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

/** OpenAPI allows `nullable` without a type, and variables that the URL of a server does not use. */
function isAllowed({ message }: NormalizedProblem): boolean {
  return /^The `type` field must be defined when the `nullable`|variable is not used in the server's/.test(message);
}

function locate({ message, suggest, location: [place] }: NormalizedProblem): LocatedProblem[] {
  if (place === undefined) return [];
  const hint = suggest[0] && `Did you mean ${suggest[0]}?`;
  return [{ place, message: hint ? message.replace(/\.?$/, `. ${hint}`) : message }];
}
