import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  bundle,
  type Config,
  createConfig,
  getLineColLocation,
  type LocationObject,
  lint,
  Source,
  type YamlParseError,
} from '@redocly/openapi-core';
import type { OpenAPIV3 } from 'openapi-types';
import { removeInvalidDefaults } from './check-defaults.js';
import { checkOperations } from './check-operations.js';
import { type CheckedSchema, compileAll, type LocatedProblem, schemaRule } from './check-schemas.js';
import { type Reference, referenceRule, referToComponents } from './component-references.js';
import { ContractError, type Problem } from './contract-error.js';
import { extensionProblems } from './extensions.js';
import { FileReader, type ReadFile } from './file-reader.js';
import { findAt, pointerTo, unescapeName } from './json-pointer.js';
import { operationsOf } from './operations.js';

/** A document, and the files that contain it. The first one is that of the contract. */
export interface CheckedDocument {
  readonly document: OpenAPIV3.Document;
  readonly files: readonly ReadFile[];
  /** A line for each part that is ignored. */
  readonly warnings: readonly string[];
}

export interface LoadOptions {
  /** The text of a document that is no file; the URL is where its references lead from. */
  readonly text?: string;
  /** Whether a service is created from it. If so, extensions and what only a service does not support are checked. */
  readonly isService?: boolean;
}

/** The maximum number of mistakes that are reported at a time. */
const problemsMax = 20;
/** Orders lines by file, line and column. */
const byPosition = new Intl.Collator('en', { numeric: true }).compare;

/**
 * Reads, checks and completes a document of OpenAPI 3.0 or 3.1: `generate`, the build and a start use the same. What is
 * in other files becomes components.
 *
 * @throws ContractError with a line for each mistake.
 */
export async function loadDocument(url: URL, { text, isService = true }: LoadOptions = {}): Promise<CheckedDocument> {
  const ref = fileURLToPath(url);
  const externalRefResolver = new FileReader(ref, text);
  const root = await externalRefResolver.resolveDocument(null, ref, true).catch(refuse(ref));
  const { source, parsed: document } = root as { readonly source: Source; readonly parsed: OpenAPIV3.Document };
  const linesOf = (problems: readonly LocatedProblem[]) => {
    const lines = problems.map(({ message, place }) => {
      const operation = place.source === source ? operationAt(document, place) : undefined;
      const line = operation === undefined ? message : `${operation}: ${message}`;
      // A text that is not a file has no line numbers to look up.
      return place.source === source && text !== undefined
        ? `${String(place.pointer)} ${asSentence(line)}`
        : lineOf(place, line);
    });
    return [...new Set(lines)].sort(byPosition);
  };
  const requireNone = (problems: readonly LocatedProblem[]) => {
    if (problems.length > 0) throw new ContractError(linesOf(problems).slice(0, problemsMax).join('\n'));
  };
  const atRoot = ({ path, message }: Problem) => ({
    message,
    place: { source, pointer: pointerTo(path), reportOnKey: true },
  });
  requireNone(checkVersion(document).map(atRoot));
  const schemas: CheckedSchema[] = [];
  const references: Reference[] = [];
  const options = { ref, externalRefResolver, config: await createRules(schemas, references) };
  requireNone(await lintDocument(options));
  await bundle(options);
  referToComponents(document, references);
  inlinePaths(document);
  // Each step relies on the one before.
  if (isService) requireNone(extensionProblems(document).map(atRoot));
  requireNone(compileAll(document, schemas));
  const problems = checkOperations(document, isService);
  requireNone(problems.filter(({ isWarning }) => isWarning !== true).map(atRoot));
  const warnings = linesOf([...problems.map(atRoot), ...removeInvalidDefaults(document, schemas)]);
  completeDocument(document);
  return { document, files: externalRefResolver.files, warnings };
}

/** The contract is missing, not YAML, or contains a reference that leads to itself. */
function refuse(path: string): (error: unknown) => never {
  return (error) => {
    const { message, line = 1, col = 1 } = error as Partial<YamlParseError> & Error;
    const place: LocationObject = { source: new Source(path, ''), pointer: undefined, start: { line, col } };
    throw new ContractError(lineOf(place, message), { cause: error });
  };
}

function checkVersion(parsed: unknown): Problem[] {
  const { openapi } = (parsed ?? {}) as { readonly openapi?: unknown };
  const version = ['string', 'number'].includes(typeof openapi) ? String(openapi) : 'of no version';
  const message = `OpenAPI ${version} is not supported; use 3.0 or 3.1.`;
  return /^3\.[01]\.\d+$/.test(version) ? [] : [{ path: ['openapi'], message }];
}

function createRules(schemas: CheckedSchema[], references: Reference[]): Promise<Config> {
  const names = ['no-unresolved-refs', 'security-defined', 'no-undefined-server-variable'];
  const paths = ['no-identical-paths', 'path-parameters-defined', 'path-not-include-query'];
  const own = { schemas: schemaRule(schemas), references: referenceRule(references) };
  const rules = ['struct', ...names, ...paths, 'operation-operationId-unique'].concat(
    Object.keys(own).map((name) => `contract/${name}`),
  );
  return createConfig({
    plugins: [{ id: 'contract', rules: { oas3: own } }],
    rules: Object.fromEntries(rules.map((name) => [name, 'error'])),
    resolve: { doNotResolveExamples: true },
  });
}

async function lintDocument(options: Parameters<typeof lint>[0]): Promise<LocatedProblem[]> {
  const problems = await lint(options).catch(refuse(options.ref));
  return problems.flatMap(({ message, suggest, location: [place] }) => {
    if (place === undefined || isAllowed(message, place)) return [];
    const hint = /`nullable` is/.test(message) ? 'Add "null" to its type' : suggest[0] && `Did you mean ${suggest[0]}?`;
    return [{ place, message: hint === undefined ? message : message.replace(/\.?$/, `. ${hint}`) }];
  });
}

/** OpenAPI allows `nullable` without a type, names in the mapping of a discriminator, and any URI in an extension. */
function isAllowed(message: string, { pointer = '' }: LocationObject): boolean {
  if (message.startsWith("Can't resolve $ref") && pointer.includes('/discriminator/mapping/')) return true;
  // It names what is not in the document. The name of a header or a property can begin like that of an extension.
  if (message.startsWith("Can't resolve $ref: ")) return /(?<!\/(?:headers|properties))\/x-/.test(pointer);
  return /^(?:The `type` field must be defined when the `nullable`|Every operation should have security)/.test(message);
}

/** The server and the types read the operations of a path at its place. */
function inlinePaths(document: OpenAPIV3.Document): void {
  const paths = document.paths as OpenAPIV3.PathsObject | undefined;
  for (const [path, item = {}] of Object.entries(paths ?? {}))
    if (paths && item.$ref !== undefined) paths[path] = findAt(document, item.$ref) as OpenAPIV3.PathItemObject;
}

/** The operationId at a place, or its path. */
function operationAt(document: object, { pointer = '' }: LocationObject): string | undefined {
  const [operation, path] = /^#\/paths\/([^/]+)(?:\/[^/]+)?/.exec(pointer) ?? [];
  if (operation === undefined || path === undefined) return undefined;
  const { operationId } = (findAt(document, operation) ?? {}) as { readonly operationId?: unknown };
  return typeof operationId === 'string' ? operationId : unescapeName(path);
}

function lineOf(place: LocationObject, message: string): string {
  const { source, start } = getLineColLocation(place);
  return `${relative('', source.absoluteRef)}:${String(start.line)}:${String(start.col)} ${asSentence(message)}`;
}

function asSentence(message: string): string {
  return message.replace(/[.?]?$/, (end) => end || '.');
}

/** Of an operation without responses, which OpenAPI 3.1 does not require. */
const anyResponse = { description: 'Any response', content: { '*/*': {} } };

type Extensions = Record<`x-${string}`, object | string | undefined>;

/** Adds the defaults of extensions, and an operationId to operations without one. */
function completeDocument(document: OpenAPIV3.Document): void {
  const extensions = document as unknown as Extensions;
  extensions['x-error-codes'] ??= {};
  for (const { path, method, operation } of operationsOf(document)) {
    const id = `${method.toUpperCase()} ${path}`;
    const defaults = { operationId: id, 'x-stability': 'stable', responses: { default: anyResponse } };
    const hasResponses = Object.keys((operation as Partial<OpenAPIV3.OperationObject>).responses ?? {}).length > 0;
    Object.assign(operation, { ...defaults, ...operation, ...(!hasResponses && { responses: defaults.responses }) });
  }
}
