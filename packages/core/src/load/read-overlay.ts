import { fileURLToPath } from 'node:url';
import type { Document, Source } from '@redocly/openapi-core';
import { ContractError, type Problem } from '../contract/contract-error.js';
import { schemaProblems } from '../contract/extensions.js';
import { pointerTo } from '../contract/json-pointer.js';
import { memberOf } from '../json/object-members.js';
import { FileReader, type ReadFile } from './file-reader.js';
import { type LocatedProblem, linesOf } from './problem-lines.js';
import { refuse } from './refuse.js';

/** A file of changes that are made to a contract before it is checked (OpenAPI Overlay 1.0). */
export interface Overlay {
  readonly source: Source;
  readonly file: ReadFile | undefined;
  /** The contract that it is written for, if it names one: a URI reference. */
  readonly extends?: string;
  readonly actions: readonly OverlayAction[];
}

export interface OverlayAction {
  /** A JSONPath (RFC 9535) that selects values of the contract. */
  readonly target: string;
  /** What is merged into selected objects, or appended to selected arrays. */
  readonly update?: unknown;
  readonly remove?: boolean;
}

const text = { type: 'string', minLength: 1 };
const closed = (required: readonly string[], properties: object) => ({
  ...{ type: 'object', required, properties, patternProperties: { '^x-': {} }, additionalProperties: false },
});
const action = closed(['target'], { target: text, description: {}, update: {}, remove: { type: 'boolean' } });
const info = closed(['title', 'version'], { title: text, version: text });
const actions = { type: 'array', minItems: 1, items: action };
const overlaySchema = closed(['overlay', 'info', 'actions'], { overlay: {}, info, extends: text, actions });

/** Reads and checks an overlay. @throws ContractError */
export async function readOverlay(url: URL): Promise<Overlay> {
  const path = fileURLToPath(url);
  const reader = new FileReader(path, undefined);
  const document = (await reader.resolveDocument(null, path, true).catch(refuse(path))) as Document;
  const { source } = document;
  const parsed = document.parsed as unknown;
  // The contract is merged from exact integers.
  for (const { parent, name, value } of reader.exactMembers) parent[name] = value;
  const problems = overlayProblems(parsed).map((problem) => inOverlay(source, problem));
  if (problems.length > 0)
    throw new ContractError(linesOf(problems, { document: {}, source, isText: false }).join('\n'));
  return { ...(parsed as Overlay), source, file: reader.files[0] };
}

function overlayProblems(parsed: unknown): Problem[] {
  const version = memberOf(parsed, 'overlay');
  const overlay = typeof version === 'string' ? version : 'of no version';
  if (/^1\.0\.\d+$/.test(overlay)) return schemaProblems(overlaySchema, parsed);
  return [{ path: ['overlay'], message: `An overlay ${overlay} is not supported; use overlay: 1.0.0.` }];
}

/** A problem at a place in an overlay. */
export function inOverlay(source: Source, { path, message }: Problem): LocatedProblem {
  return { message, place: { source, pointer: pointerTo(path), reportOnKey: true } };
}
