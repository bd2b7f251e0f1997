import type { ValidateFunction } from 'ajv';
import type { Handler as BackendHandler } from 'openapi-backend';
import type { Deprecation } from './deprecation.js';
import type { BodyRule } from './document.js';
import type { OperationId } from './types.js';

/** An operation of the contract with all that a request to it needs, put together once at start. */
export interface BoundOperation {
  readonly id: OperationId;
  /** In capitals. */
  readonly method: string;
  /** The path template below the path prefix, `/pets/{petId}`. */
  readonly template: string;
  readonly requiresKey: boolean;
  /** The headers that it declares as parameters, in lower case. */
  readonly headerNames: readonly string[];
  readonly body?: BodyRule;
  readonly deprecation?: Deprecation;
  /** As openapi-backend compiled them. */
  readonly validators: readonly ValidateFunction[];
  readonly handler: BackendHandler;
}

/** Which operation a request is for: decided by its method and path alone. */
export type Route =
  | { readonly kind: 'operation'; readonly operation: BoundOperation; readonly parameters: Readonly<Record<string, string>> }
  | { readonly kind: 'unknown path' }
  /** `allow` lists the methods of the path as the `Allow` header does (RFC 9110, section 10.2.1). */
  | { readonly kind: 'unknown method'; readonly allow: string };

interface PathEntry {
  readonly operations: Map<string, BoundOperation>;
  readonly parameterNames: readonly string[];
}

interface Segment {
  readonly literals: Map<string, Segment>;
  parameter?: Segment;
  entry?: PathEntry;
}

/**
 * Finds the operation for a method and path, in time that depends on the length of the path and not on how many operations
 * there are. Literal segments win over templated ones (OpenAPI 3.0.4, Paths Object). HEAD is GET where a path has no HEAD.
 */
export class OperationTable {
  private readonly root: Segment = { literals: new Map() };

  constructor(
    private readonly basePath: string,
    readonly operations: readonly BoundOperation[],
  ) {
    for (const operation of operations) this.add(operation);
  }

  /** `path` is the path of the request as sent: percent escapes in parameters are kept, a trailing slash makes another path. */
  find(method: string, path: string): Route {
    const values: string[] = [];
    const entry = path.startsWith(`${this.basePath}/`)
      ? findEntry(this.root, path.slice(this.basePath.length + 1).split('/'), 0, values)
      : undefined;
    if (entry === undefined) return { kind: 'unknown path' };
    const operation = entry.operations.get(method) ?? (method === 'HEAD' ? entry.operations.get('GET') : undefined);
    if (operation === undefined) return { kind: 'unknown method', allow: allowOf(entry.operations.keys()) };
    const parameters: Record<string, string> = {};
    entry.parameterNames.forEach((name, index) => (parameters[name] = values[index] ?? ''));
    return { kind: 'operation', operation, parameters };
  }

  private add(operation: BoundOperation): void {
    let segment = this.root;
    const names: string[] = [];
    for (const part of operation.template.slice(1).split('/')) {
      const name = parameterName(part);
      if (name !== undefined) names.push(name);
      segment = name === undefined ? child(segment, part) : (segment.parameter ??= { literals: new Map() });
    }
    segment.entry ??= { operations: new Map(), parameterNames: names };
    segment.entry.operations.set(operation.method, operation);
  }
}

function child(segment: Segment, literal: string): Segment {
  const present = segment.literals.get(literal);
  if (present !== undefined) return present;
  const added: Segment = { literals: new Map() };
  segment.literals.set(literal, added);
  return added;
}

function parameterName(part: string): string | undefined {
  const match = /^\{([^{}]+)\}$/.exec(part);
  if (match === null && /[{}]/.test(part)) {
    throw new TypeError(`The path segment ${part} mixes text and a parameter; a parameter is a whole segment here.`);
  }
  return match?.[1];
}

/** Collects the values of templated segments in `values`, in their order. */
function findEntry(segment: Segment, parts: readonly string[], index: number, values: string[]): PathEntry | undefined {
  const part = parts[index];
  if (part === undefined) return segment.entry;
  const literal = segment.literals.get(part);
  const found = literal === undefined ? undefined : findEntry(literal, parts, index + 1, values);
  if (found !== undefined || segment.parameter === undefined || part === '') return found;
  values.push(part);
  const templated = findEntry(segment.parameter, parts, index + 1, values);
  if (templated === undefined) values.pop();
  return templated;
}

/** What `Allow` says where there are these methods (RFC 9110, section 10.2.1): OPTIONS is everywhere, and HEAD beside GET. */
export function allowOf(declared: Iterable<string>): string {
  const methods = new Set([...declared, 'OPTIONS']);
  if (methods.has('GET')) methods.add('HEAD');
  return [...methods].sort().join(', ');
}
