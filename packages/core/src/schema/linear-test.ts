import { createRequire } from 'node:module';
import type * as Refa from 'refa';

/** Building an automaton of more states takes more than a tenth of a second. */
const statesMax = 800;

const tests = new Map<string, LinearTest | undefined>();

/** Whether a text contains a match. */
type LinearTest = (text: string) => boolean;

/**
 * Creates the test of a regular expression as an automaton, which looks at each character once. `undefined` if there is
 * none: for backreferences, for assertions of more than one character, except lookaheads at the start, for `\b` in most
 * places, and for repetitions that need more than `statesMax` states. The expression must have no flag but `u`.
 */
export function createLinearTest(expression: RegExp): LinearTest | undefined {
  const key = expression.toString();
  if (!tests.has(key)) tests.set(key, testOf(expression));
  return tests.get(key);
}

function testOf(expression: RegExp): LinearTest | undefined {
  // Loaded only when needed, because loading it delays the start.
  const refa = createRequire(import.meta.url)('refa') as typeof Refa;
  const automaton = automatonOf(refa, expression);
  if (automaton === undefined) return undefined;
  return createWalk(automaton, expression.unicode);
}

/** A state of an automaton. */
interface State {
  readonly node: Refa.DFA.ReadonlyNode;
  readonly isFinal: boolean;
  /** The next state by character of ASCII, as far as one was looked up; `null` if there is none. */
  readonly next: (State | null | undefined)[];
}

/** Looks each transition up once: refa's own test takes ten times as long. */
function createWalk({ initial, finals }: Refa.ReadonlyDFA, isUnicode: boolean): LinearTest {
  const states = new Map<Refa.DFA.ReadonlyNode, State>();
  const stateOf = (node: Refa.DFA.ReadonlyNode | undefined): State | null => {
    if (node === undefined) return null;
    const known = states.get(node);
    if (known !== undefined) return known;
    const state = { node, isFinal: finals.has(node), next: [] };
    states.set(node, state);
    return state;
  };
  const step = ({ node, next }: State, character: number): State | null => {
    const found = stateOf(node.out.get(character));
    if (character < asciiSize) next[character] = found;
    return found;
  };
  const first = stateOf(initial);
  return (text) => {
    let state = first;
    for (let index = 0; index < text.length && state !== null; index += 1) {
      const character = (isUnicode ? text.codePointAt(index) : text.charCodeAt(index)) ?? 0;
      if (character > 0xffff) index += 1;
      const known: State | null | undefined = state.next[character];
      state = known === undefined ? step(state, character) : known;
    }
    return state?.isFinal === true;
  };
}

const asciiSize = 128;

/** The automaton of the texts that contain a match. `undefined` for what refa rejects. */
function automatonOf(refa: typeof Refa, expression: RegExp): Refa.DFA | undefined {
  try {
    return new AutomatonBuilder(refa, expression).build();
  } catch {
    return undefined;
  }
}

class AutomatonBuilder {
  private readonly parsed: Refa.JS.ParseResult;
  private readonly anyText: Refa.Element;

  constructor(
    private readonly refa: typeof Refa,
    { source, flags }: RegExp,
  ) {
    const parse = (pattern: string) => refa.JS.Parser.fromLiteral({ source: pattern, flags }).parse();
    this.parsed = parse(source);
    this.anyText = parse('[^]*').expression.alternatives[0]?.elements[0] as Refa.Element;
  }

  build(): Refa.DFA {
    return alternativesOf(this.parsed.expression)
      .map((alternative) => this.automatonOf(alternative))
      .reduce((one, other) => this.union(one, other));
  }

  private automatonOf({ elements }: Refa.Concatenation): Refa.DFA {
    const atStart = this.takeConditions(elements, 'behind');
    const atEnd = this.takeConditions(elements.reverse(), 'ahead');
    const automaton = this.determine([elements.reverse()]);
    return [...atStart, ...atEnd].reduce((one, other) => this.intersection(one, other), automaton);
  }

  /**
   * Takes an edge of the text from the first elements, with the assertions beside it: each is a condition for the whole
   * text. Without an edge, any text is there.
   */
  private takeConditions(elements: Refa.Element[], edge: Refa.Assertion['kind']): Refa.DFA[] {
    const conditions: Refa.DFA[] = [];
    if (isTextEdge(elements[0], edge)) {
      const inner = edge === 'behind' ? 'ahead' : 'behind';
      elements.shift();
      for (let next = elements[0]; isAssertion(next, inner); next = elements[0]) {
        elements.shift();
        conditions.push(this.conditionOf(next));
      }
    } else elements.unshift(this.anyText);
    return conditions;
  }

  private conditionOf({ alternatives, kind, negate }: Refa.Assertion): Refa.DFA {
    const texts = alternatives.map(({ elements }) => {
      if (kind === 'behind') return isTextEdge(elements[0], kind) ? elements.slice(1) : [this.anyText, ...elements];
      return isTextEdge(elements.at(-1), kind) ? elements.slice(0, -1) : [...elements, this.anyText];
    });
    const automaton = this.determine(texts);
    if (negate) automaton.complement();
    return automaton;
  }

  private determine(texts: readonly Refa.Element[][]): Refa.DFA {
    const { NFA, DFA } = this.refa;
    const alternatives = texts.map((elements) => ({ type: 'Concatenation', elements }) as const);
    const limit = new NFA.LimitedNodeFactory(4 * statesMax);
    const automaton = NFA.fromRegex({ type: 'Expression', alternatives }, this.parsed, { assertions: 'throw' }, limit);
    return DFA.fromFA(automaton, new DFA.LimitedNodeFactory(statesMax));
  }

  private union(one: Refa.DFA, other: Refa.DFA): Refa.DFA {
    const { NFA, DFA } = this.refa;
    const automaton = NFA.fromFA(one, new NFA.LimitedNodeFactory(2 * statesMax));
    automaton.union(other);
    return DFA.fromFA(automaton, new DFA.LimitedNodeFactory(statesMax));
  }

  private intersection(one: Refa.DFA, other: Refa.DFA): Refa.DFA {
    const { DFA } = this.refa;
    return DFA.fromIntersection(one, other, new DFA.LimitedNodeFactory(statesMax));
  }
}

/** Those of a pattern, also within a group that is the whole pattern. */
function alternativesOf({ alternatives }: Refa.Expression | Refa.Alternation): readonly Refa.Concatenation[] {
  return alternatives.flatMap((alternative) => {
    const [only, ...others] = alternative.elements;
    return only?.type === 'Alternation' && others.length === 0 ? alternativesOf(only) : [alternative];
  });
}

/** Whether an element is `^`, which no character may precede, or `$`, which none may follow. */
function isTextEdge(element: Refa.Element | undefined, kind: Refa.Assertion['kind']): boolean {
  if (element?.type !== 'Assertion' || element.kind !== kind || !element.negate) return false;
  const [character, ...others] = element.alternatives.flatMap(({ elements }) => elements);
  return others.length === 0 && character?.type === 'CharacterClass' && character.characters.isAll;
}

function isAssertion(element: Refa.Element | undefined, kind: Refa.Assertion['kind']): element is Refa.Assertion {
  return element?.type === 'Assertion' && element.kind === kind && !isTextEdge(element, kind);
}
