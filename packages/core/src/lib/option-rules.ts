import { inspect } from 'node:util';
import levenshtein from 'js-levenshtein';
import { StartError } from './errors.js';

/** What a value must be. The compiler compares the type with that of an option: a rule accepts each of its values. */
export interface Rule<Value> {
  /** Completes "must be …". */
  readonly kind: string;
  // Properties, because the compiler compares the parameters of methods in both directions.
  readonly accepts: (value: Value) => boolean;
  /** What is wrong with the members of an accepted value. */
  readonly problemsIn?: (value: Value, place: Place) => readonly string[];
  /** Whether the value may be a key, or contain a password: no message repeats it. Each member needs its own. */
  readonly isSecret?: boolean;
  readonly isRequired?: boolean;
}

/** A rule for each option. */
export type OptionRules<Options> = {
  readonly [Name in keyof Options]-?: object extends Pick<Options, Name>
    ? Rule<Exclude<Options[Name], undefined>>
    : Rule<Options[Name]> & { readonly isRequired: true };
};

/** Where a value is. */
interface Place {
  /** Such as `createRouter`. */
  readonly owner: string;
  /** Such as `limits.bodyBytes`; '' for all options. */
  readonly path: string;
}

type AnyFunction = (...args: never[]) => unknown;
type AnyRule = Rule<never>;
type Values = Readonly<Record<string, unknown>>;

/** @param accepts whether a value has the type. */
function rule<Value>(kind: string, accepts: (value: unknown) => boolean): Rule<Value> {
  return { kind, accepts };
}

export const boolean = rule<boolean>('true or false', (value) => typeof value === 'boolean');
export const text = rule<string>('a string', (value) => typeof value === 'string');
export const anyFunction = rule<AnyFunction>('a function', (value) => typeof value === 'function');
export const anyObject = rule<object>('a plain object', isPlainObject);

export function integer(minimum: number, maximum: number): Rule<number> {
  const kind = `an integer from ${String(minimum)} to ${String(maximum)}`;
  return { kind, accepts: (value) => Number.isInteger(value) && value >= minimum && value <= maximum };
}

export function oneOf<const Text extends string>(...texts: readonly Text[]): Rule<Text> {
  return { kind: texts.map((each) => `'${each}'`).join(' or '), accepts: (value) => texts.includes(value) };
}

export function matching(kind: string, pattern: RegExp): Rule<string> {
  return { kind, accepts: (value) => text.accepts(value) && pattern.test(value) };
}

/** An object that has functions of these names. */
export function withFunctions(kind: string, ...names: readonly string[]): Rule<object> {
  return rule(kind, (value) => names.every((name) => typeof (Object(value) as Values)[name] === 'function'));
}

export function listOf<Value>(item: Rule<Value>): Rule<readonly Value[]> {
  return {
    ...rule<readonly Value[]>('an array', Array.isArray),
    problemsIn: (list, { owner, path }) =>
      list.flatMap((value, index) => problemsOf(item, value, { owner, path: `${path}[${String(index)}]` })),
  };
}

/** An object whose members have any names. */
export function recordOf<Value>(member: Rule<Value>): Rule<Readonly<Record<string, Value | undefined>>> {
  return {
    ...anyObject,
    problemsIn: (values, place) =>
      Object.entries(values).flatMap(([name, value]) =>
        value === undefined ? [] : problemsOf(member, value, { ...place, path: pathTo(place.path, name) }),
      ),
  };
}

/** An object that has these options, and no others. */
export function object<Options extends object>(rules: OptionRules<Options>): Rule<Options> {
  const known = Object.keys(rules);
  const open = memberProblems(rules, 'the option ');
  return {
    ...anyObject,
    problemsIn: (options, place) => {
      const unknown = Object.keys(options).filter((name) => !known.includes(name));
      return [
        ...open(options, place),
        ...unknown.map((name) => {
          const hint = suggestion(name, known, (each) => pathTo(place.path, each));
          return `${place.owner} has no option \`${pathTo(place.path, name)}\`.${hint}`;
        }),
      ];
    },
  };
}

/** An object that has these members, and possibly others. */
export function openObject<Members extends object>(rules: OptionRules<Members>): Rule<Members> {
  const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value);
  return { ...rule('an object', isObject), problemsIn: memberProblems(rules) };
}

export function orUndefined<Value>(each: Rule<Value>): Rule<Value | undefined> {
  const { kind, accepts, problemsIn } = each;
  return {
    kind: `${kind} or undefined`,
    accepts: (value) => value === undefined || accepts(value),
    problemsIn: (value, place) => (value === undefined ? [] : (problemsIn?.(value, place) ?? [])),
  };
}

export function required<Value>(each: Rule<Value>): Rule<Value> & { readonly isRequired: true } {
  return { ...each, isRequired: true };
}

export function secret<Value>(each: Rule<Value>): Rule<Value> {
  return { ...each, isSecret: true };
}

/** @param noun what the members are, for a sentence. */
function memberProblems<Members extends object>(rules: OptionRules<Members>, noun = '') {
  const entries = Object.entries<AnyRule>(rules as Readonly<Record<string, AnyRule>>);
  return (values: Members, { owner, path: outer }: Place): string[] => {
    const problems: string[] = [];
    for (const [name, each] of entries) {
      const { [name]: value } = values as Values;
      const path = pathTo(outer, name);
      if (each.isRequired ? name in values : value !== undefined)
        problems.push(...problemsOf(each, value, { owner, path }));
      else if (each.isRequired) problems.push(`${owner} needs ${noun}\`${path}\`.`);
    }
    return problems;
  };
}

/** A sentence for each problem of a value. */
export function problemsOf(each: AnyRule, value: unknown, place: Place): readonly string[] {
  if (each.accepts(value as never)) return each.problemsIn?.(value as never, place) ?? [];
  const subject = place.path === '' ? `The options of ${place.owner}` : `\`${place.path}\``;
  return [`${subject} must be ${each.kind}${each.isSecret ? '' : `, not ${describeValue(value)}`}.`];
}

/**
 * Checks the options of a function, in applications without types.
 *
 * @param path of the options, if they are not the only ones of the owner.
 * @throws StartError with a line for each problem.
 */
export function requireOptions<Options extends object>(
  owner: string,
  options: Options,
  rules: OptionRules<Options>,
  path = '',
): void {
  throwIfAny(problemsOf(object(rules), options, { owner, path }));
}

/** @throws StartError with a line for each problem. */
export function throwIfAny(problems: readonly string[]): void {
  if (problems.length > 0) throw new StartError(problems.join('\n'));
}

/** A value in a sentence about it: that of a number or a short text, the kind of an object. */
export function describeValue(value: unknown): string {
  if (typeof value === 'function') return 'a function';
  if (typeof value !== 'object' || value === null) return inspect(value, { maxStringLength: 50 });
  if (Array.isArray(value)) return 'an array';
  if (value instanceof Promise) return 'a promise';
  const type = typeOf(value);
  return type === 'Object' ? 'an object' : `${/^[AEIO]/.test(type) ? 'an' : 'a'} ${type}`;
}

/**
 * Suggests the most similar name, unless more than a third of it differs.
 *
 * @param write writes the name. Default: as it is.
 */
export function suggestion(name: string, names: readonly string[], write = (each: string) => each): string {
  const distances = names.map((each) => [each, levenshtein(name.toLowerCase(), each.toLowerCase())] as const);
  const [nearest] = distances.sort(([, one], [, other]) => one - other);
  if (nearest === undefined || nearest[1] > Math.max(2, nearest[0].length / 3)) return '';
  return ` Did you mean \`${write(nearest[0])}\`?`;
}

function pathTo(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

/** Also a module; but not a promise or a map, whose members would be ignored. */
function isPlainObject(value: unknown): boolean {
  return ['Object', 'Module'].includes(typeOf(value));
}

/** Such as `Map`. */
function typeOf(value: unknown): string {
  return Object.prototype.toString.call(value).slice('[object '.length, -1);
}
