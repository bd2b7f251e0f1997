import { createRegExp } from '@contract-server/core/schema/patterns.js';
import { type AST, RegExpParser } from '@eslint-community/regexpp';

/** The maximum number of characters of a text, over all nested repetitions. */
const charactersMax = 10_000;

/** Candidates for a set of characters, the most readable first. */
const candidates = Array.from(
  'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.~ /:@!#$%&\'()*+,;=?[]{}|^`"<>\\\t\néßЖ中€\u{1f600}',
);

/** How a text is chosen among those of a pattern. */
export interface PatternChoice {
  /** How often what may be repeated is repeated beyond its minimum, at most. */
  readonly extra: number;
  /** Selects other alternatives and other characters. */
  readonly variant: number;
}

/**
 * A text that a pattern describes, which may not match it: assertions are ignored. `undefined` for a pattern that
 * cannot be parsed, or whose text would be too long.
 */
export function patternText(pattern: string, choice: PatternChoice): string | undefined {
  const { flags } = createRegExp(pattern) ?? {};
  if (flags === undefined) return undefined;
  try {
    const parsed = new RegExpParser().parsePattern(pattern, 0, pattern.length, { unicode: flags.includes('u') });
    return new Writer(choice, flags).alternatives(parsed.alternatives);
  } catch (error) {
    if (error instanceof TooLong || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

class TooLong extends Error {}

/** Writes the text of each part of a pattern. */
class Writer {
  private readonly groups = new Map<AST.CapturingGroup, string>();
  private readonly sets = new Map<string, readonly string[]>();
  /** Counts all characters and repetitions that were written, so that empty ones end too. */
  private written = 0;
  /** Each set of characters of a text selects another one with what is left of it. */
  private rest: number;

  constructor(
    private readonly choice: PatternChoice,
    private readonly flags: string,
  ) {
    this.rest = choice.variant;
  }

  alternatives(alternatives: readonly AST.Alternative[]): string {
    const chosen = alternatives[this.take(alternatives.length)];
    return (chosen?.elements ?? []).map((element) => this.element(element)).join('');
  }

  private element(node: AST.Element): string {
    this.written += 1;
    if (this.written > charactersMax) throw new TooLong();
    switch (node.type) {
      case 'Character':
        return String.fromCodePoint(node.value);
      case 'CharacterClass':
      case 'CharacterSet':
        return this.character(node.raw);
      case 'Group':
        return this.alternatives(node.alternatives);
      case 'CapturingGroup':
        return this.remember(node);
      case 'Quantifier':
        return this.repeat(node);
      case 'Backreference':
        return [node.resolved].flat().map((group) => this.groups.get(group) ?? '')[0] ?? '';
      default:
        return '';
    }
  }

  private remember(node: AST.CapturingGroup): string {
    const text = this.alternatives(node.alternatives);
    this.groups.set(node, text);
    return text;
  }

  private repeat({ min, max, element }: AST.Quantifier): string {
    const count = Math.min(max, min + this.choice.extra);
    if (count > charactersMax) throw new TooLong();
    return Array.from({ length: count }, () => this.element(element)).join('');
  }

  private character(set: string): string {
    const found = this.sets.get(set) ?? this.findCharacters(set);
    return found[this.take(found.length)] ?? '';
  }

  private findCharacters(set: string): readonly string[] {
    const expression = new RegExp(`^${set}$`, this.flags);
    const found = candidates.filter((each) => expression.test(each));
    this.sets.set(set, found);
    return found;
  }

  /** An index below a number, by which the variant is divided, so that each variant is another text. */
  private take(count: number): number {
    const index = count === 0 ? 0 : this.rest % count;
    this.rest = count === 0 ? this.rest : Math.floor(this.rest / count);
    return index;
  }
}
