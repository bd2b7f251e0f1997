import { pathText } from '../lib/header-text.js';

/** A segment of a path template: text, a parameter, or a mixture of both, such as `{id}.json`. */
export interface Segment {
  /** That of a parameter; `undefined` for text and for a mixture. */
  readonly parameter: string | undefined;
  /**
   * The text as clients send it: a URL parser percent-encodes characters such as `<` (URL standard, section 1.3). It is
   * the only spelling that is served, so that no other one passes a guard of the application for this path.
   */
  readonly sentText: string;
  readonly mixture: Mixture | undefined;
}

/** Parameters with text around them. Each text but the first and the last is not empty. */
export interface Mixture {
  readonly names: readonly string[];
  /** The text before each parameter, and that after the last one. */
  readonly texts: readonly string[];
}

export function compileSegment(segment: string): Segment {
  const name = /^\{([^{}]+)\}$/.exec(segment)?.[1];
  if (name !== undefined || !segment.includes('{'))
    return { parameter: name, sentText: pathText(segment), mixture: undefined };
  // With a group in the separator, the names are the odd items.
  const parts = segment.split(/\{([^{}]+)\}/);
  const [names, texts] = [1, 0].map((odd) => parts.filter((_, index) => index % 2 === odd)) as [string[], string[]];
  return { parameter: undefined, sentText: segment, mixture: { names, texts: texts.map(pathText) } };
}

/** Why a segment cannot be matched; `undefined` if it can. */
export function segmentProblem(segment: string): string | undefined {
  if (/[{}]/.test(segment.replace(/\{[^{}]+\}/g, ''))) return `The path segment ${segment} has unmatched braces.`;
  if (!/\}\{/.test(segment)) return undefined;
  return `The path segment ${segment} has two parameters without text between them, which is ambiguous.`;
}

/**
 * The parameters of a segment as sent; `undefined` if it does not match. None is empty. Each parameter is as long as
 * possible, the first ones first, as in openapi-backend: `{name}.{format}` splits `a.tar.gz` into `a.tar` and `gz`. It
 * takes linear time, unlike a regular expression.
 */
export function matchMixture({ names, texts }: Mixture, segment: string): string[] | undefined {
  const [prefix = ''] = texts;
  const suffix = texts.at(-1) ?? '';
  if (!segment.startsWith(prefix) || !segment.endsWith(suffix)) return undefined;
  const found: string[] = [];
  let end = segment.length - suffix.length;
  for (let index = names.length - 1; index > 0; index -= 1) {
    const text = texts[index] ?? '';
    const at = segment.lastIndexOf(text, end - text.length - 1);
    if (at <= prefix.length) return undefined;
    found.unshift(segment.slice(at + text.length, end));
    end = at;
  }
  if (end <= prefix.length) return undefined;
  return [segment.slice(prefix.length, end), ...found];
}
