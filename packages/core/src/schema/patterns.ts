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
  // Of many short texts, each would take exponential time.
  const backtrackedLength = quickLength > exponentialLength(2) ? quickLength : 0;
  if (expression === undefined || maxLength <= backtrackedLength) return expression;
  const testQuickly: Pattern['test'] = (text) =>
    text.length <= quickLength ? expression.test(text) : testInTime(expression, text);
  let known: Pattern['test'] | undefined;
  const testOfOthers = () => (known ??= createLinearTest(expression) ?? testQuickly);
  // Loading refa would delay the start.
  runAfterStart(testOfOthers);
  return {
    test: (text) => (text.length <= backtrackedLength ? expression.test(text) : testOfOthers()(text)),
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
 * can start again at each character, or at each end of another repetition. In a repeated group, each character can
 * multiply the steps, and so can each choice. It is too small for many patterns, and too large for none.
 */
export function quickLengthOf(pattern: string): number {
  const structure = pattern.replace(/\\(?:[pP]\{[^}]*\}|u\{[^}]*\}|.)/gs, 'x').replace(/\[[^\]]*\]/g, 'x');
  const choices = choicesIn(structure);
  if (choices > choicesMax || multipliesSteps(structure, choices)) return 0;
  const degree = degreeOf(structure);
  if (repeatedGroup.test(structure) || backreference.test(pattern)) return exponentialLength(choices * (degree + 1));
  const isLinear = degree === 0 || (degree === 1 && choices === 1);
  return isLinear ? Infinity : Math.floor((stepsMax / choices) ** (1 / degree));
}

/** Whether a group repeats choices or other repetitions many times, whatever the length of the text is. */
function multipliesSteps(structure: string, choices: number): boolean {
  return countedGroup.test(structure) && (choices > 1 || repetitionsIn(structure) > 1);
}

/** The steps grow with this power of the length of the text, if no group is repeated without limit. */
function degreeOf(structure: string): number {
  const isAnchored = structure.startsWith('^') && !structure.includes('|');
  return repetitionsIn(structure) + (isAnchored ? 0 : 1);
}

/** The length of the longest text that takes at most `stepsMax` steps, if each character multiplies them. */
function exponentialLength(factor: number): number {
  return Math.floor(Math.log(stepsMax) / Math.log(factor));
}

const repeatedGroup = /\)(?:[*+]|\{\d*,|\{\d{2})/;
const countedGroup = /\)\{(?:\d{2}|\d*,\d|[2-9],)/;
/** A group that is repeated a few times, as in a pattern of IP addresses. */
const fewGroups = /\)\{([2-9])\}/g;
const backreference = /\\[1-9k]/;
const repetition = /[*+]|\{\d*,(?:\d{2,})?\}|\{\d{2,}\}/g;
const optional = /[^(*+?}]\?/g;
const range = /\{(\d),(\d)\}/g;

const choicesMax = 1000;

function repetitionsIn(structure: string): number {
  return (structure.match(repetition)?.length ?? 0) * copiesIn(structure);
}

/** In how many ways the optional parts, the short repetitions and the groups of a pattern can be combined, at most. */
function choicesIn(structure: string): number {
  const ranges = [...structure.matchAll(range)].map(([, least, most]) => Number(most) - Number(least) + 1);
  const options = (structure.match(optional) ?? []).map(() => 2);
  return productOf([...ranges, ...options, ...alternativesIn(structure)]) ** copiesIn(structure);
}

/** How many times a part of a pattern is repeated by the groups around it, at most. */
function copiesIn(structure: string): number {
  return productOf([...structure.matchAll(fewGroups)].map(([, count]) => Number(count)));
}

function productOf(counts: readonly number[]): number {
  return counts.reduce((product, count) => product * count, 1);
}

/** The number of alternatives of each group. */
function alternativesIn(structure: string): readonly number[] {
  const open: number[] = [];
  const closed: number[] = [];
  for (const character of structure)
    if (character === '(') open.push(1);
    else if (character === ')') closed.push(open.pop() ?? 1);
    else if (character === '|' && open.length > 0) open.push((open.pop() ?? 1) + 1);
  return closed;
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
