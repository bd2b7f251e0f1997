import type { Deployment } from '../contract/deployment.js';
import { type Mixture, matchMixture, type Segment } from '../contract/path-segments.js';
import type { CompiledPath } from './compiled-paths.js';

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

/**
 * Every path that routes of an application could take a path for: they may ignore case, a trailing slash, and repeated
 * slashes at a mount path. The path itself comes first; the others are spelled as in the contract.
 */
export function similarPaths(groups: readonly SpelledPaths[], path: string): string[] {
  const sent = path.replace(/\/{2,}/g, '/');
  const other = sent.endsWith('/') ? sent.slice(0, -1) : `${sent}/`;
  const spelled = [sent, other].flatMap((each) => groups.map((group) => withoutCase(group, each)));
  return [path, ...spelled.filter((each) => each !== undefined)];
}

function exact({ prefix, paths }: SpelledPaths, path: string): string | undefined {
  if (!path.startsWith(`${prefix}/`)) return undefined;
  return paths.find(path.slice(prefix.length + 1).split('/')) === undefined ? undefined : path;
}

function withoutCase({ prefix, paths }: SpelledPaths, path: string): string | undefined {
  if (!areEqual(path.slice(0, prefix.length + 1), `${prefix}/`)) return undefined;
  const values = path.slice(prefix.length + 1).split('/');
  for (const { segments } of paths.all(values.length)) {
    const spelled = segments.map((segment, index) => spellSegment(segment, values[index] ?? ''));
    if (!spelled.includes(undefined)) return [prefix, ...spelled].join('/');
  }
  return undefined;
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
