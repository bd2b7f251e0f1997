import type { Deployment } from '@contract-server/core/contract/deployment.js';
import { type Mixture, matchMixture, type Segment } from '@contract-server/core/contract/path-segments.js';
import { type CompiledPath, isMatch } from './compiled-paths.js';

/** Returns the spelling of the contract for a path that differs from it only in what is ignored. */
export type SpellPath = (path: string) => string;

/** The paths below a path prefix. */
export interface SpelledPaths {
  readonly prefix: string;
  readonly paths: {
    find(values: readonly string[]): unknown;
    all(size: number): readonly Pick<CompiledPath<unknown>, 'segments'>[];
  };
}

/**
 * Compiles the function that returns the path of the contract for another spelling, so that middleware and the router
 * see only one: `/Books/` is `/books`. Other paths, and exact ones, are returned as they are.
 *
 * @returns `undefined` if nothing is ignored.
 */
export function compileSpelling(
  groups: readonly SpelledPaths[],
  { trailingSlashes = 'strict', caseSensitive = true }: Deployment,
): SpellPath | undefined {
  if (trailingSlashes === 'strict' && caseSensitive) return undefined;
  const spellings = [exact, ...(caseSensitive ? [] : [withoutCase])];
  const candidates = (path: string) => {
    if (trailingSlashes === 'strict') return [path];
    return [path, path.endsWith('/') ? path.slice(0, -1) : `${path}/`];
  };
  return (path) => {
    for (const spell of spellings)
      for (const candidate of candidates(path))
        for (const group of groups) {
          const found = spell(group, candidate);
          if (found !== undefined) return found;
        }
    return path;
  };
}

/** A path template that a path is similar to. */
export interface SimilarPath<Path> {
  readonly path: Path;
  /** Whether it matches the path as it was sent. */
  readonly isExact: boolean;
}

/**
 * The path templates whose routes in an application could receive a request for a path, whatever the settings of its
 * routers: they may ignore case, a trailing slash and, at a mount path, repeated slashes.
 */
export function similarPaths<Path extends Pick<CompiledPath<unknown>, 'segments'>>(
  groups: readonly { readonly prefix: string; readonly paths: { all(size: number): readonly Path[] } }[],
  sent: string,
): SimilarPath<Path>[] {
  const once = sent.replace(/\/{2,}/g, '/');
  const candidates = [once, once.endsWith('/') ? once.slice(0, -1) : `${once}/`];
  return candidates.flatMap((candidate) =>
    groups.flatMap(({ prefix, paths }) => {
      if (!areEqual(candidate.slice(0, prefix.length + 1), `${prefix}/`)) return [];
      const values = candidate.slice(prefix.length + 1).split('/');
      const isPrefixed = candidate === sent && candidate.startsWith(prefix);
      return paths
        .all(values.length)
        .filter(({ segments }) => spellSegments(segments, values) !== undefined)
        .map((path) => ({ path, isExact: isPrefixed && isMatch(path, values) }));
    }),
  );
}

function exact({ prefix, paths }: SpelledPaths, path: string): string | undefined {
  if (!path.startsWith(`${prefix}/`)) return undefined;
  return paths.find(path.slice(prefix.length + 1).split('/')) === undefined ? undefined : path;
}

function withoutCase({ prefix, paths }: SpelledPaths, path: string): string | undefined {
  if (!areEqual(path.slice(0, prefix.length + 1), `${prefix}/`)) return undefined;
  const values = path.slice(prefix.length + 1).split('/');
  for (const { segments } of paths.all(values.length)) {
    const spelled = spellSegments(segments, values);
    if (spelled !== undefined) return [prefix, ...spelled].join('/');
  }
  return undefined;
}

/** The segments as in the contract; `undefined` if they differ from it in more than case. */
function spellSegments(segments: readonly Segment[], values: readonly string[]): string[] | undefined {
  const spelled = segments.map((segment, index) => spellSegment(segment, values[index] ?? ''));
  return spelled.every((each) => each !== undefined) ? spelled : undefined;
}

function spellSegment({ parameter, sentText, mixture }: Segment, value: string): string | undefined {
  if (mixture !== undefined) return spellMixture(mixture, value);
  if (parameter !== undefined) return value === '' ? undefined : value;
  return areEqual(sentText, value) ? sentText : undefined;
}

/** The parameters keep their case. */
function spellMixture({ names, texts }: Mixture, value: string): string | undefined {
  const lower = matchMixture({ names, texts: texts.map((text) => text.toLowerCase()) }, value.toLowerCase());
  if (lower === undefined) return undefined;
  let [spelled = ''] = texts;
  let at = spelled.length;
  for (const [index, { length }] of lower.entries()) {
    const text = texts[index + 1] ?? '';
    spelled += value.slice(at, at + length) + text;
    at += length + text.length;
  }
  return spelled;
}

/** Comparing the lengths first is faster. */
function areEqual(one: string, other: string): boolean {
  return one.length === other.length && one.toLowerCase() === other.toLowerCase();
}
