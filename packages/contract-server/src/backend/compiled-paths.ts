import {
  compileSegment,
  type Mixture,
  matchMixture,
  type Segment,
} from '@contract-server/core/contract/path-segments.js';
import { shapeOf } from '@contract-server/core/contract/path-templates.js';
import { setMember } from '@contract-server/core/json/object-members.js';

/** A path template with its operations. */
export interface CompiledPath<Operation> {
  readonly segments: readonly Segment[];
  /** By method, in upper case; also those of templates that differ only in the names of parameters. */
  readonly operations: ReadonlyMap<string, Operation>;
}

/**
 * The path templates of a document, by their number of segments. Of those that match the same path, the one with the
 * most literal text comes first, as in openapi-backend.
 */
export class CompiledPaths<Operation extends { readonly path: string; readonly method: string }> {
  private readonly bySize = new Map<number, CompiledPath<Operation>[]>();
  private readonly byTemplate = new Map<string, CompiledPath<Operation>>();

  constructor(operations: readonly Operation[]) {
    const byShape = new Map<string, Map<string, Operation>>();
    for (const operation of operations) {
      const shape = shapeOf(operation.path);
      const own = byShape.get(shape) ?? new Map<string, Operation>();
      byShape.set(shape, own.set(operation.method.toUpperCase(), operation));
    }
    const templates = [...new Set(operations.map(({ path }) => path))];
    for (const template of templates.sort((one, other) => literalLength(other) - literalLength(one))) {
      const path = compilePath<Operation>(template, byShape.get(shapeOf(template)) ?? new Map<string, Operation>());
      this.byTemplate.set(template, path);
      this.bySize.set(path.segments.length, [...(this.bySize.get(path.segments.length) ?? []), path]);
    }
  }

  /** The first path template that the segments of a path match. */
  find(values: readonly string[]): CompiledPath<Operation> | undefined {
    return this.bySize.get(values.length)?.find((path) => isMatch(path, values));
  }

  /** The path templates with this number of segments, in the order in which they are tried. */
  all(size: number): readonly CompiledPath<Operation>[] {
    return this.bySize.get(size) ?? [];
  }

  /** The parameters of a path, percent-encoded as sent; none if it does not match the template. */
  paramsOf(template: string, values: readonly string[]): Record<string, string> {
    const path = this.byTemplate.get(template);
    return path?.segments.length === values.length && isMatch(path, values) ? paramsIn(path, values) : {};
  }
}

/** The segments of a path that begins with a slash. */
function segmentsOf(path: string): string[] {
  return path.slice(1).split('/');
}

/** The path parameters, percent-encoded as sent. */
function paramsIn({ segments }: CompiledPath<unknown>, values: readonly string[]): Record<string, string> {
  const params: Record<string, string> = {};
  segments.forEach(({ parameter, mixture }, index) => {
    const value = values[index] ?? '';
    if (parameter !== undefined) setMember(params, parameter, value);
    else if (mixture !== undefined) addMixture(params, mixture, value);
  });
  return params;
}

function addMixture(params: object, mixture: Mixture, value: string): void {
  const found = matchMixture(mixture, value) ?? [];
  for (const [index, name] of mixture.names.entries()) setMember(params, name, found[index]);
}

/** @throws URIError if a percent escape is invalid. */
export function decodeParams(params: Readonly<Record<string, string>>): Record<string, unknown> {
  const decoded: Record<string, string> = {};
  for (const name in params) setMember(decoded, name, decodeURIComponent(params[name] ?? ''));
  return decoded;
}

function compilePath<Operation>(template: string, operations: ReadonlyMap<string, Operation>): CompiledPath<Operation> {
  return { segments: segmentsOf(template).map(compileSegment), operations };
}

/** The number of characters of a path template outside of its parameters. */
function literalLength(template: string): number {
  return template.replace(/\{[^{}]*\}/g, '').length;
}

/** Whether the values of the segments, as sent, match those of a path template. No parameter is empty. */
export function isMatch({ segments }: Pick<CompiledPath<unknown>, 'segments'>, values: readonly string[]): boolean {
  return segments.every(({ sentText, parameter, mixture }, index) => {
    const value = values[index] ?? '';
    if (parameter !== undefined) return value !== '';
    return mixture === undefined ? value === sentText : matchMixture(mixture, value) !== undefined;
  });
}
