import type { ErrorObject } from 'ajv';
import { memberOf, setMember } from '../json/object-members.js';

/** What validating an object by a schema has found. */
export interface Result {
  /** `null` if the object is valid. */
  readonly errors: ErrorObject[] | null;
  /** What Ajv reads after a call: the members that the schema describes, for `unevaluatedProperties` and `-Items`. */
  readonly evaluated: Evaluated;
  /** The number of changes before it. After another change, the result may differ. */
  readonly changes: number;
}

export interface Evaluated {
  readonly props?: unknown;
  readonly items?: unknown;
}

type Parent = Record<string, unknown>;

/** The state of one validation: what it has changed in the value, and the results to remember until it ends. */
export class ValidationRun {
  private readonly changed: [parent: Parent, name: string, previous: unknown][] = [];
  /** The integers beyond 2^53 by their parents and names, and whether they remain a `bigint`. */
  private integers = new Map<object, Map<string | number, boolean>>();
  private results = new Map<object, Map<object, Result>>();

  get changes(): number {
    return this.changed.length;
  }

  /** Replaces a member in place, or adds one. */
  change(parent: unknown, name: string | number, value: unknown): void {
    const members = parent as Parent;
    this.changed.push([members, String(name), memberOf(members, String(name))]);
    setMember(members, String(name), value);
  }

  /** Decides whether a `bigint` that is valid remains one. If not, and by no other schema, it becomes a double. */
  keepExact(parent: object, name: string | number, isExact: boolean): void {
    const members = this.integers.get(parent) ?? new Map<string | number, boolean>();
    this.integers.set(parent, members.set(name, isExact || members.get(name) === true));
  }

  /** Makes the value equal to what was validated, so that it can be validated again. */
  undo(): void {
    for (const [parent, name, previous] of this.changed.reverse())
      if (previous === undefined) Reflect.deleteProperty(parent, name);
      else setMember(parent, name, previous);
    this.forget();
  }

  /** The results of a schema by object. */
  resultsOf(schema: object): Map<object, Result> {
    const known = this.results.get(schema);
    if (known !== undefined) return known;
    const results = new Map<object, Result>();
    this.results.set(schema, results);
    return results;
  }

  /** Keeps the changes, and nothing of the value in memory. */
  end(): void {
    for (const [parent, members] of this.integers)
      for (const [name, isExact] of members)
        if (!isExact) setMember(parent, String(name), Number((parent as Parent)[name]));
    this.forget();
  }

  /**
   * Replaces each map that is not empty. In V8, a map that is cleared keeps its earlier tables in memory until the old
   * generation is collected.
   */
  private forget(): void {
    if (this.changed.length > 0) this.changed.length = 0;
    if (this.integers.size > 0) this.integers = new Map();
    if (this.results.size > 0) this.results = new Map();
  }
}
