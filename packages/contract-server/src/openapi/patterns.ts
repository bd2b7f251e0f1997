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
