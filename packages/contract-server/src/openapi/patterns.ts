/**
 * Compiles a pattern of a schema; `undefined` if JavaScript cannot. Many patterns escape characters that need it in no
 * mode: in Unicode mode, which JSON Schema recommends (2020-12, section 6.4), that is a syntax error.
 */
export function compilePattern(pattern: string, flags = 'u'): RegExp | undefined {
  try {
    return new RegExp(pattern, flags);
  } catch {
    return patternProblem(pattern) === undefined ? new RegExp(pattern) : undefined;
  }
}

/** Why JavaScript cannot compile a pattern, in any mode; `undefined` if it can. */
export function patternProblem(pattern: string): string | undefined {
  try {
    new RegExp(pattern);
    return undefined;
  } catch (error) {
    // The message repeats the pattern: `Invalid regular expression: /(/: Unterminated group`.
    return (error as Error).message.split(': ').at(-1) ?? '';
  }
}
