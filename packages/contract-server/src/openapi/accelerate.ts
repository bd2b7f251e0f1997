import { pathToFileURL } from 'node:url';
import type { Options } from 'ajv';
import type { Document, OpenAPIBackend } from 'openapi-backend';
import type { OpenAPIV3 } from 'openapi-types';
import type { Operation } from './accelerated-router.js';
import type { ContractDocument } from './document.js';
import { operationsOf } from './operations.js';
import { restoreReferences } from './restore-references.js';

type Backend = OpenAPIBackend<OpenAPIV3.Document>;

/**
 * Makes an instance of openapi-backend handle requests in a tenth of the time, by replacing its `router` and its
 * `validator` with compiled ones. Everything else stays in effect: handlers, also those that you register later,
 * security handlers, `customizeAjv` and options. It calls `init()` unless the instance is initialized. If you call
 * `init()` yourself, await it first.
 *
 * Requests are handled as before, with these exceptions:
 *
 * - Validation replaces each parameter in `context.request` by a value of its declared type, and fills in defaults. A
 *   number in a parameter is a plain decimal: not `0x10`, `1e1` or `007`.
 * - 64-bit integers are exact, and a `bigint` beyond 2^53. Pass bodies as text for that; in a parsed body, such
 *   an integer was rounded, and is rejected. Text with duplicate names, or with `1.0` for an integer, is invalid.
 * - OpenAPI 3.1 is validated in its own dialect, JSON Schema 2020-12, and `discriminator` selects the schema.
 * - If an operation and its path declare the same parameter, that of the operation applies. Header parameters named
 *   `Accept`, `Authorization` and `Content-Type` are ignored, as OpenAPI requires.
 * - The error of a number has the keyword `exactNumber`, and a message with the range.
 * - In an array or a `deepObject` of the query, every text is replaced by a value of its declared type.
 * - Of several ways to split a path segment such as `{a}:{b}`, one without an empty parameter is chosen.
 *
 * @returns the same instance. If the promise is rejected, the instance works as before.
 * @throws Error with a line for each part of the definition that is invalid or not supported.
 * @throws Error for an option that is not supported, with what to change.
 */
export async function accelerate<D extends Document>(api: OpenAPIBackend<D>): Promise<OpenAPIBackend<D>> {
  // Both versions have the members that are read here.
  const backend = api as unknown as Backend;
  // Loaded on demand, because commands of a service do not need openapi-backend.
  const { AcceleratedRouter } = await import('./accelerated-router.js');
  const { replaceParts } = await import('./replace-parts.js');
  if (backend.router instanceof AcceleratedRouter) return api;
  const { ajvOpts, customizeAjv } = backend;
  const problems = findUnsupportedOptions(ajvOpts);
  if (problems.length > 0) throw new Error(problems.join('\n'));
  const document = await loadDefinition(backend);
  await initialize(backend);
  const router = new AcceleratedRouter(backend, (operation) => withId(document, operation));
  replaceParts(backend, document, router, { ajvOpts, ...(customizeAjv && { customizeAjv }) });
  return api;
}

/** What to change in `ajvOpts`: a sentence for each option that the compiled validator does not support. */
function findUnsupportedOptions({ $data, coerceTypes, multipleOfPrecision, removeAdditional }: Options) {
  const rules: readonly (readonly [isUsed: boolean, sentence: string])[] = [
    [isSet($data), 'Remove $data from ajvOpts: write the values themselves in the contract.'],
    [
      isSet(coerceTypes),
      'Remove coerceTypes from ajvOpts: parameters always have their types, and a body is validated as it was sent.',
    ],
    [isSet(multipleOfPrecision), 'Remove multipleOfPrecision from ajvOpts: decimals are validated exactly.'],
    [removeAdditional === 'all', "Use removeAdditional: true in ajvOpts: 'all' would remove headers."],
  ];
  return rules.filter(([isUsed]) => isUsed).map(([, sentence]) => sentence);
}

const isSet = (option: unknown) => option !== undefined && option !== false;

async function initialize(api: Backend): Promise<void> {
  if (!api.initialized) await api.init();
  if ((api.definition as OpenAPIV3.Document | undefined) !== undefined) return;
  throw new Error(
    'openapi-backend did not load the definition; its warning says why. For OpenAPI 3.1, set quick: true.',
  );
}

/** Loads and checks the definition with its references. In a definition that is an object, `init` replaces them. */
async function loadDefinition(api: Backend): Promise<ContractDocument> {
  const { inputDocument: input } = api;
  if (typeof input === 'object') return load(pathToFileURL('definition'), restoreReferences(input));
  if (!/^https?:/.test(input)) return load(input.startsWith('file:') ? new URL(input) : pathToFileURL(input));
  await initialize(api);
  return load(pathToFileURL('definition'), restoreReferences(api.definition));
}

async function load(url: URL, text?: string): Promise<ContractDocument> {
  // Loaded on demand, because it delays the start of a service, which does not need it.
  const { loadDocument } = await import('./load-document.js');
  const { document } = await loadDocument(url, { isService: false, ...(text !== undefined && { text }) });
  return document as ContractDocument;
}

/** An operation without an `operationId` gets that of the loaded document, such as `GET /pets`. */
function withId(document: ContractDocument, operation: Operation): Operation {
  const { path, method } = operation;
  const found = operationsOf(document).find((each) => each.path === path && each.method === method);
  return operation.operationId === undefined
    ? { ...operation, operationId: found?.operation.operationId ?? '' }
    : operation;
}
