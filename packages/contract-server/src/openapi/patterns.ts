/** A pattern of a schema, compiled. */
export interface Pattern {
  readonly test: (text: string) => boolean;
  /** Identifies it for Ajv. */
  readonly toString: () => string;
}

/**
 * The maximum length, in characters, of a text that a schema matches with a pattern that can take quadratic time,
 * unless the schema has a `maxLength`. Matching it takes at most a few milliseconds.
 */
export const slowTextMax = 2000;

/**
 * Compiles a pattern for names, which have no `maxLength`; `undefined` if JavaScript cannot. If matching can take
 * quadratic time, a name of more than `slowTextMax` code units does not match.
 */
export function compileNamePattern(pattern: string): Pattern | undefined {
  const expression = compilePattern(pattern);
  if (expression === undefined || !canBeSlow(pattern)) return expression;
  return {
    test: (name) => name.length <= slowTextMax && expression.test(name),
    toString: () => expression.toString(),
  };
}

/**
 * Compiles a pattern of a schema; `undefined` if JavaScript cannot. Many patterns escape characters that need it in no
 * mode: in Unicode mode, which JSON Schema recommends (2020-12 Core, section 6.4), that is a syntax error.
 */
export function compilePattern(pattern: string, flags = 'u'): RegExp | undefined {
  if (patternProblem(pattern) !== undefined) return undefined;
  try {
    return new RegExp(pattern, flags);
  } catch {
    return new RegExp(pattern);
  }
}

/**
 * Whether matching can take more than linear time: a repetition starts again at each character of the text or at each
 * end of another repetition. It is true for many patterns that take linear time, and false for none that does not.
 */
export function canBeSlow(pattern: string): boolean {
  const structure = pattern.replace(/\\(?:[pP]\{[^}]*\}|u\{[^}]*\}|.)/gs, 'x').replace(/\[[^\]]*\]/g, 'x');
  const repetitions = structure.match(/[*+]|\{\d*,(?:\d{2,})?\}|\{\d{2,}\}/g)?.length ?? 0;
  const isAnchored = structure.startsWith('^') && !structure.includes('|');
  return repetitions > (isAnchored ? 1 : 0) || /\\[1-9k]/.test(pattern);
}

/** Why JavaScript cannot compile a pattern, or compiles it as another one; `undefined` if it can. */
export function patternProblem(pattern: string): string | undefined {
  const [foreign] = foreignSyntax.exec(pattern.replaceAll('\\\\', '')) ?? [];
  if (foreign !== undefined) return `it has no ${foreign}`;
  if (pattern.startsWith('(?i)')) return 'it has no (?i); use character classes, such as [Aa]';
  try {
    new RegExp(pattern);
    return undefined;
  } catch (error) {
    // The message repeats the pattern: `Invalid regular expression: /(/: Unterminated group`.
    const { message } = error as Error;
    return message.slice(message.lastIndexOf(': ') + 2);
  }
}

/**
 * Anchors and classes of Perl, Python, Ruby and POSIX. Without Unicode mode, JavaScript reads `\A` as a letter, and in
 * any mode `[[:alpha:]]` as a set of these characters.
 */
const foreignSyntax = /\\[AGZz]|\[[^\]]*\[:[a-z]+:\]/;
