import { runAfterStart } from '../lib/after-start.js';
import { createLinearTest } from './linear-test.js';
import { testInTime } from './timed-test.js';

/** A pattern of a schema, compiled. */
export interface Pattern {
  readonly test: (text: string) => boolean;
  /** Identifies it for Ajv. */
  readonly toString: () => string;
}

/** The number of steps that matching a text by backtracking may take: about a tenth of a millisecond. */
const stepsMax = 100_000;

/**
 * Compiles a pattern of a schema, so that matching takes linear time if an automaton can do it. `undefined` if
 * JavaScript cannot compile it. Without an automaton, a text that takes too long does not match.
 *
 * @param maxLength of the texts, in characters, if the schema has one.
 */
export function compilePattern(pattern: string, maxLength = Infinity): Pattern | undefined {
  const expression = createRegExp(pattern);
  const quickLength = quickLengthOf(pattern);
  if (expression === undefined || maxLength <= quickLength) return expression;
  let known: Pattern['test'] | undefined;
  const testOfLong = () => (known ??= createLinearTest(expression) ?? ((text) => testInTime(expression, text)));
  // Loading refa would delay the start.
  runAfterStart(testOfLong);
  return {
    test: (text) => (text.length <= quickLength ? expression.test(text) : testOfLong()(text)),
    toString: () => expression.toString(),
  };
}

/** Whether matching a text takes more than linear time, because there is no automaton. */
export function mayTakeLong(pattern: string): boolean {
  const expression = createRegExp(pattern);
  return expression !== undefined && quickLengthOf(pattern) !== Infinity && createLinearTest(expression) === undefined;
}

/**
 * Creates the regular expression of a pattern; `undefined` if JavaScript cannot. Many patterns escape characters that
 * need it in no mode: in Unicode mode, which JSON Schema recommends (2020-12 Core, section 6.4), that is an error.
 */
export function createRegExp(pattern: string): RegExp | undefined {
  if (patternProblem(pattern) !== undefined) return undefined;
  try {
    return new RegExp(pattern, 'u');
  } catch {
    return new RegExp(pattern);
  }
}

/**
 * The length of the longest text that backtracking matches in `stepsMax` steps, whatever the text is. Each repetition
 * can start again at each character, or at each end of another repetition. In a repeated group, each repetition can
 * double the steps. It is too small for many patterns, and too large for none.
 */
export function quickLengthOf(pattern: string): number {
  const structure = pattern.replace(/\\(?:[pP]\{[^}]*\}|u\{[^}]*\}|.)/gs, 'x').replace(/\[[^\]]*\]/g, 'x');
  const count = (part: RegExp) => structure.match(part)?.length ?? 0;
  if (repeatedGroup.test(structure) || backreference.test(pattern) || count(optional) > optionalsMax)
    return Math.floor(Math.log2(stepsMax));
  const isAnchored = structure.startsWith('^') && !structure.includes('|');
  const degree = count(repetition) + (isAnchored ? 0 : 1);
  return degree <= 1 ? Infinity : Math.floor(stepsMax ** (1 / degree));
}

const repeatedGroup = /\)(?:[*+]|\{\d*,|\{[^01])/;
const backreference = /\\[1-9k]/;
const repetition = /[*+]|\{\d*,(?:\d{2,})?\}|\{\d{2,}\}/g;
const optional = /[^(*+?}]\?|\{\d,\d\}/g;

/** Each optional part can double the steps. */
const optionalsMax = 8;

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
