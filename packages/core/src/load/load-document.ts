import { bundle } from '@redocly/openapi-core';
import type { OpenAPIV3 } from 'openapi-types';
import { ContractError, type Problem } from '../contract/contract-error.js';
import { extensionProblems } from '../contract/extensions.js';
import { pointerTo } from '../contract/json-pointer.js';
import { operationsOf } from '../contract/operations.js';
import { completePathParameters } from '../contract/path-templates.js';
import { schemasOf } from '../contract/schemas.js';
import { replaceBooleanComponents } from './boolean-schemas.js';
import { removeInvalidDefaults } from './check-defaults.js';
import { checkOperations } from './check-operations.js';
import { compileAll } from './check-schemas.js';
import { inlineReferences, referToComponents } from './component-references.js';
import { DegenerateReferences } from './degenerate-references.js';
import { findInvalidServers, replaceInvalidServers } from './evident-meanings.js';
import { restoreExactMembers } from './exact-integers.js';
import { type FileReader, isBounded, type ReadFile } from './file-reader.js';
import { removeUnserved } from './later-versions.js';
import { type LintedDocument, lintDocument } from './lint-document.js';
import { replaceNullable } from './nullable.js';
import { type OpenOptions, openDocument } from './open-document.js';
import { defaultIdOf, replaceRepeatedIds } from './operation-ids.js';
import { inlinePathItems, pathItemProblems } from './path-item-references.js';
import { groupProblems, type LocatedProblem, linesOf, sortLines } from './problem-lines.js';
import { ReferenceChains } from './reference-chains.js';
import { ReferenceTargets } from './reference-targets.js';
import { refuse } from './refuse.js';
import { removeRepeatedParameters } from './repeated-parameters.js';
import { unionWarnings } from './union-warnings.js';
import { findUnsupportedName } from './unsupported-names.js';

/** A document, and the files that contain it. The first one is that of the contract. */
export interface CheckedDocument {
  readonly document: OpenAPIV3.Document;
  readonly files: readonly ReadFile[];
  /** The file of the overlay. */
  readonly overlay: ReadFile | undefined;
  /** A line for each part that is accepted but not applied as it is written. */
  readonly warnings: readonly string[];
}

export interface LoadOptions extends OpenOptions {
  /** Whether what is invalid but has an evident meaning is accepted, with a warning. */
  readonly isLenient?: boolean | undefined;
  /** Whether all problems are reported. Default: only the first ones. */
  readonly reportsAll?: boolean;
}

/** The maximum number of problems that are reported by default. */
const problemsMax = 20;

/**
 * Reads, checks and completes a document of OpenAPI 3.0, 3.1 or 3.2: `generate`, the build and a start use the same.
 * What is in other files becomes components.
 *
 * @throws ContractError with a line for each problem.
 */
export async function loadDocument(url: URL, options: LoadOptions = {}): Promise<CheckedDocument> {
  const { isLenient = false } = options;
  const { root, reader, lineOptions, overlay, warnings: overlayWarnings } = await openDocument(url, options);
  const { source } = root;
  const ref = source.absoluteRef;
  const document = root.parsed as OpenAPIV3.Document;
  const atRoot = ({ path, message }: Problem): LocatedProblem => {
    return { message, place: { source, pointer: pointerTo(path), reportOnKey: true } };
  };
  const refuseAll = (problems: readonly LocatedProblem[]) => {
    if (problems.length > 0) throw new ContractError(linesOf(problems, lineOptions).join('\n'));
  };
  refuseAll(checkVersion(document).map(atRoot));
  replaceBooleanComponents(document as object as Record<string, unknown>);
  const targets = new ReferenceTargets(reader);
  const chains = new ReferenceChains(targets);
  const references = new DegenerateReferences(root, targets, chains);
  refuseAll(await references.find());
  const itemProblems = await pathItemProblems(root, targets);
  const restoreReferences = chains.shorten(root);
  const linted = await lintDocument(ref, reader, { openapi: document.openapi, isLenient }).catch(
    async (error: unknown) => {
      // Redocly also follows what looks like a reference in data.
      if (String(error).includes('circular')) refuseAll(await references.find(true));
      const name = error instanceof TypeError ? findUnsupportedName(document) : undefined;
      if (name !== undefined) refuseAll([atRoot(name)]);
      return refuse(ref)(error);
    },
  );
  restoreReferences();
  restoreExactMembers(
    reader.exactMembers,
    linted.schemas.map(({ schema }) => schema),
  );
  // Before invalid parts are removed: the lines name operations.
  const lines = linesOf([...linted.problems, ...itemProblems], lineOptions);
  await completeReferences(document, linted, reader);
  separateOperations(document);
  const found = findProblems(document, isLenient);
  const problems = found.filter(({ isWarning }) => isWarning !== true).map(atRoot);
  lines.push(...linesOf([...compileAll(schemasOf(document), linted.schemas), ...problems], lineOptions));
  const hasEvidentMeaning = linted.hasEvidentMeaning || findInvalidServers(document).length > 0;
  throwIfAny(lines, options.reportsAll, !isLenient && hasEvidentMeaning);
  const ignored = [...removeInvalidDefaults(schemasOf(document), linted.schemas), ...found.map(atRoot)];
  const unions = unionWarnings(schemasOf(document), linted.schemas);
  const warnings = linesOf([...groupProblems([...linted.warnings, ...unions]), ...ignored], lineOptions);
  completeOperations(document);
  return { document, files: reader.files, overlay: overlay?.file, warnings: [...overlayWarnings, ...warnings] };
}

/** Checks and completes what Redocly does not. */
function findProblems(document: OpenAPIV3.Document, isLenient: boolean): Problem[] {
  return [
    ...(isLenient ? replaceInvalidServers(document) : []),
    ...removeUnserved(document),
    ...replaceRepeatedIds(document),
    ...completePathParameters(document),
    ...extensionProblems(document),
    ...checkOperations(document),
    ...removeRepeatedParameters(document),
  ];
}

function throwIfAny(lines: readonly string[], reportsAll = false, hasEvidentMeaning = false): void {
  if (lines.length === 0) return;
  const sorted = sortLines(lines);
  const reported = reportsAll ? sorted : sorted.slice(0, problemsMax);
  const others = sorted.length - reported.length;
  const end =
    others === 0 ? [] : [`And ${String(others)} more: \`contract-server generate --all\` reports every problem.`];
  const hint = hasEvidentMeaning ? ['With `--lenient` (option `lenient`), some of these problems are warnings.'] : [];
  throw new ContractError([...reported, ...end, ...hint].join('\n'));
}

function checkVersion(parsed: unknown): Problem[] {
  const { swagger, openapi = swagger } = (parsed ?? {}) as { readonly openapi?: unknown; readonly swagger?: unknown };
  // YAML reads `3.0` without quotes as the number 3.
  const written = Number.isInteger(openapi) ? (openapi as number).toFixed(1) : openapi;
  const version = ['string', 'number'].includes(typeof written) ? String(written) : 'of no version';
  const message = /^3\.[0-2]$/.test(version)
    ? `Write the whole version of OpenAPI: ${version}.0.`
    : `OpenAPI ${version} is not supported; use 3.0, 3.1 or 3.2.`;
  return /^3\.[0-2]\.\d+$/.test(version) ? [] : [{ path: ['openapi'], message }];
}

/** Makes each reference lead to a component, and `nullable` of OpenAPI 3.1, which is deprecated, a type. */
async function completeReferences(
  document: OpenAPIV3.Document,
  { ref, config, schemas, references, brokenParts }: LintedDocument,
  externalRefResolver: FileReader,
): Promise<void> {
  if (externalRefResolver.hasReferences) await bundle({ ref, config, externalRefResolver });
  if (inlineReferences(document, references) && !isBounded(document))
    refuse(ref)(
      new TypeError('A `$ref` to a part that is no component leads to what contains it; write what it describes'),
    );
  referToComponents(document, references);
  inlinePathItems(document);
  brokenParts.takeOut(document);
  if (document.openapi.startsWith('3.0')) return;
  for (const { schema } of schemas) replaceNullable(schema);
}

/** Several paths can have the same operations, by a reference or an alias of YAML. Each gets an id of its own. */
function separateOperations(document: OpenAPIV3.Document): void {
  for (const [path, item] of Object.entries(document.paths)) document.paths[path] = { ...item };
  for (const { path, method, operation } of operationsOf(document)) {
    const item = document.paths[path];
    // Path parameters are added to each.
    const { parameters } = operation;
    if (item !== undefined) item[method] = { ...operation, ...(parameters && { parameters: [...parameters] }) };
  }
}

/** Of an operation without responses, which OpenAPI 3.1 does not require. */
const anyResponse = { description: 'Any response', content: { '*/*': {} } };

type Extensions = Record<`x-${string}`, object | string | undefined>;

/** Adds the defaults of extensions, and an operationId to operations without one. */
function completeOperations(document: OpenAPIV3.Document): void {
  const extensions = document as unknown as Extensions;
  extensions['x-error-codes'] ??= {};
  for (const { path, method, operation } of operationsOf(document)) {
    const defaults = {
      operationId: defaultIdOf(method, path),
      'x-stability': 'stable',
      responses: { default: anyResponse },
    };
    const hasResponses = Object.keys((operation as Partial<OpenAPIV3.OperationObject>).responses ?? {}).length > 0;
    Object.assign(operation, { ...defaults, ...operation, ...(!hasResponses && { responses: defaults.responses }) });
  }
}
