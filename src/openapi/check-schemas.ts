import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { OpenAPIV3 } from 'openapi-types';
import type { Problem } from './contract-error.js';
import { createAjv } from './create-ajv.js';
import { findAt } from './json-pointer.js';
import { describeDeepest } from './schema-errors.js';

type Path = Problem['path'];
type Values = Readonly<Record<string, unknown>>;
type Found = readonly [path: Path, schema: Values];

/** Checks the references of a document, and that each of its schemas can be compiled. */
export function checkSchemas(document: OpenAPIV3.Document): Problem[] {
  const problems: Problem[] = [];
  const schemas: Found[] = [];
  const isVersion30 = document.openapi.startsWith('3.0');
  walk(document, [], (node, path) => {
    if (path.at(-1) === 'schema' || (path.length === 3 && path[1] === 'schemas')) schemas.push([path, node]);
    problems.push(...checkMembers(document, node, isVersion30).map((problem) => at(path, problem)));
  });
  // The schema of OpenAPI 3.0 covers those of the document, that of 3.1 does not.
  if (!isVersion30) problems.push(...checkDialect(schemas));
  return problems.length > 0 ? problems : compileAll(document, schemas);
}

function at(path: Path, problem: Problem): Problem {
  return { ...problem, path: [...path, ...problem.path] };
}

/** The members whose values are data. */
const literals = new Set(['example', 'examples', 'value', 'default', 'enum', 'const']);

/** Visits every object, except in examples, extensions and other data. */
function walk(node: unknown, path: Path, visit: (node: Values, path: Path) => void): void {
  if (typeof node !== 'object' || node === null) return;
  if (!Array.isArray(node)) visit(node as Values, path);
  for (const [name, child] of Object.entries(node))
    if (!(literals.has(name) || name.startsWith('x-')) || path.at(-1) === 'properties')
      walk(child, [...path, name], visit);
}

/** The members of a schema that the types or the validation would ignore. */
const unsupported = ['$id', '$anchor', '$schema', '$dynamicRef', '$dynamicAnchor'];

function checkMembers(document: unknown, node: Values, isVersion30: boolean): Problem[] {
  const problem = (name: string, message: string): Problem => ({ path: [name], message });
  const { $ref, pattern, nullable } = node;
  const found = unsupported.filter((name) => typeof node[name] === 'string');
  const problems = found.map((name) =>
    problem(name, `\`${name}\` is not supported; use $ref to a component or a file.`),
  );
  if (typeof $ref === 'string' && (!$ref.startsWith('#/') || findAt(document, $ref) === undefined))
    problems.push(problem('$ref', `$ref ${$ref} leads nowhere.`));
  if (typeof nullable === 'boolean' && !isVersion30)
    problems.push(problem('nullable', '`nullable` is OpenAPI 3.0; in 3.1, write type: [string, "null"].'));
  if (typeof pattern === 'string') {
    const message = errorOf(() => new RegExp(pattern, 'u'));
    if (message !== undefined) problems.push(problem('pattern', `${message}.`));
  }
  return problems;
}

function checkDialect(schemas: readonly Found[]): Problem[] {
  const ajv = new Ajv2020({ strict: false, allErrors: true, logger: false });
  addFormats.default(ajv);
  return schemas.flatMap(([path, schema]) =>
    ajv.validateSchema(schema) === true ? [] : describeDeepest(ajv.errors ?? []).map((each) => at(path, each)),
  );
}

function compileAll(document: OpenAPIV3.Document, schemas: readonly Found[]): Problem[] {
  const ajv = createAjv(document);
  return schemas.flatMap(([path, schema]) => {
    const message = errorOf(() => ajv.compile(schema));
    return message === undefined ? [] : [{ path, message: `The schema is invalid: ${message}.` }];
  });
}

function errorOf(run: () => unknown): string | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    return (error as Error).message.replace(/\.$/, '');
  }
}
