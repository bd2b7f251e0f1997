import { relative } from 'node:path';
import { getAstNodeByPointer, getLineColLocation, type LocationObject, type Source } from '@redocly/openapi-core';
import { findAt, unescapeName } from '../contract/json-pointer.js';
import { printable } from '../lib/printable.js';
import type { Origins } from './origins.js';

/** A problem of the document, or of another file of it. */
export interface LocatedProblem {
  readonly message: string;
  readonly place: LocationObject;
  /** The pointer to the part of the document that leads to a place in another file. */
  readonly origin?: string;
}

/** What places are described by. */
export interface LineOptions {
  readonly document: object;
  /** That of the document. */
  readonly source: Source;
  /** Whether the document is not a file, so that its places are pointers. */
  readonly isText: boolean;
  /** Where the values of an overlaid document were written. */
  readonly origins?: Origins | undefined;
}

/** Orders lines by file, line and column. */
const byPosition = new Intl.Collator('en', { numeric: true }).compare;

/** A line for each problem, in the order of the files, with its position, the operation, and a sentence. */
export function linesOf(problems: readonly LocatedProblem[], options: LineOptions): string[] {
  const { document, source, isText, origins } = options;
  const positions = new Positions();
  const lines = problems.map(({ message, place, origin }) => {
    const operation = operationAt(document, place.source === source ? place.pointer : origin);
    const written = origins?.locate(place) ?? place;
    const position = isText && written.source === source ? String(place.pointer) : positions.of(written);
    return `${position} ${printable(asSentence(operation === undefined ? message : `${operation}: ${message}`))}`;
  });
  return sortLines(lines);
}

/** Each line once, in the order of their positions. */
export function sortLines(lines: readonly string[]): string[] {
  return [...new Set(lines)].sort(byPosition);
}

/** One problem, at the first place, for all with the same message. */
export function groupProblems(problems: readonly LocatedProblem[]): LocatedProblem[] {
  const groups = new Map<string, LocatedProblem[]>();
  for (const problem of problems) groups.set(problem.message, [...(groups.get(problem.message) ?? []), problem]);
  return [...groups.values()].flatMap(([first, ...others]) => {
    if (first === undefined || others.length === 0) return first ?? [];
    const message = first.message.replace(/\.$/, ` (the first of ${String(others.length + 1)} places).`);
    return [{ ...first, message }];
  });
}

/** A position as `file:line:column`, with the path relative to the working directory. */
export function positionOf(place: LocationObject): string {
  const { source, start } = getLineColLocation(place);
  return positionIn(source, start.line, start.col);
}

function positionIn(source: Source, line: number, column: number): string {
  return `${printable(relative('', source.absoluteRef))}:${String(line)}:${String(column)}`;
}

/** Finds the positions of many places: `getLineColLocation` reads the file up to each of them. */
class Positions {
  private readonly lineStarts = new Map<Source, readonly number[]>();

  of(place: LocationObject): string {
    const { source, pointer, reportOnKey = false } = place;
    if (pointer === undefined) return positionOf(place);
    const starts = this.startsOf(source);
    // The source has parsed itself already; an empty one has nothing.
    const ast = source.getAst(() => undefined as never) as Parameters<typeof getAstNodeByPointer>[0];
    const offset = getAstNodeByPointer(ast, pointer, reportOnKey)?.startPosition ?? 0;
    const line = lastAtMost(starts, offset);
    return positionIn(source, line + 1, offset - (starts[line] ?? 0) + 1);
  }

  /** The offset of each line. */
  private startsOf(source: Source): readonly number[] {
    const known = this.lineStarts.get(source);
    if (known !== undefined) return known;
    // Makes the source parse itself.
    getLineColLocation({ source, pointer: '#/', reportOnKey: true });
    const starts = [0, ...[...source.body.matchAll(/\n/g)].map(({ index }) => index + 1)];
    this.lineStarts.set(source, starts);
    return starts;
  }
}

/** The index of the last of ascending numbers that is not above a limit. */
function lastAtMost(numbers: readonly number[], limit: number): number {
  let [low, high] = [0, numbers.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((numbers[middle] ?? 0) <= limit) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** The operationId at a place, or its path. */
function operationAt(document: object, pointer = ''): string | undefined {
  const [operation, path] = /^#\/paths\/(~1[^/]*)(?:\/[^/]+)?/.exec(pointer) ?? [];
  if (operation === undefined || path === undefined) return undefined;
  const { operationId } = (findAt(document, operation) ?? {}) as { readonly operationId?: unknown };
  return typeof operationId === 'string' ? operationId : unescapeName(path);
}

export function asSentence(message: string): string {
  return message.replace(/[.?]?$/, (end) => end || '.');
}
