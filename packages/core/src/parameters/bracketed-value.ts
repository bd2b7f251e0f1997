import type { Schema, Schemas } from '../contract/schemas.js';
import { setMember } from '../json/object-members.js';
import { memberRulesOf } from '../schema/member-rules.js';

/** Where a value is: its schema, and what an array with an index beyond the limit throws. */
interface Place {
  readonly schemas: Schemas;
  readonly schema: unknown;
  readonly arrayMax: number;
  readonly beyondLimits: () => Error;
}

/**
 * A value that is sent in parts whose names have brackets, as qs and most clients write them:
 * `filter[a]=1&filter[b][]=2&filter[b][]=3`. Names are read as they are sent, also `__proto__`, which qs drops.
 */
export class BracketedValue {
  /** Texts, and what `[]` adds, in the order in which they were sent. */
  private readonly items: (string | BracketedValue)[] = [];
  private readonly members = new Map<string, BracketedValue>();
  private isList = false;

  /** @param path the names in brackets, of which an empty one is the next item. */
  add([name, ...rest]: readonly string[], text: string): void {
    if (name === undefined) this.items.push(text);
    else if (name === '') this.addItem(rest, text);
    else {
      const member = this.members.get(name) ?? new BracketedValue();
      this.members.set(name, member);
      member.add(rest, text);
    }
  }

  private addItem(path: readonly string[], text: string): void {
    this.isList = true;
    if (path.length === 0) {
      this.items.push(text);
      return;
    }
    const item = new BracketedValue();
    item.add(path, text);
    this.items.push(item);
  }

  /** A text, an array or an object. Names that are indices are those of an array where the schema has no objects. */
  toValue(place: Place): unknown {
    const { fields, items } = memberRulesOf(place.schemas).of(Object(place.schema) as Schema);
    const isArray = this.isArray(place);
    const object = {};
    for (const [name, member] of this.members) {
      const schema = isArray ? items?.find(Number(name)) : fields?.find(name);
      setMember(object, name, member.toValue({ ...place, schema }));
    }
    const others = this.items.map((item, index) =>
      typeof item === 'string' ? item : item.toValue({ ...place, schema: items?.find(index) }),
    );
    if (isArray) return [...Object.values(object), ...others];
    if (others.length === 0) return object;
    if (this.members.size > 0) return [...others, object];
    return this.isList || others.length > 1 ? others : others[0];
  }

  /** Indices can have gaps. */
  private isArray({ schemas, schema, arrayMax, beyondLimits }: Place): boolean {
    const names = [...this.members.keys()];
    const areIndices = names.length > 0 && names.every((name) => index.test(name));
    if (!areIndices || schemas.allows('object', Object(schema) as Schema)) return false;
    if (names.some((name) => Number(name) > arrayMax)) throw beyondLimits();
    return true;
  }
}

const index = /^(?:0|[1-9][0-9]*)$/;
const brackets = /^(?:\[[^[\]]*\])*$/;

/** The names in brackets, such as `[a][b]`; none for an empty text, and `undefined` for any other text. */
export function pathInBrackets(text: string): readonly string[] | undefined {
  if (!brackets.test(text)) return undefined;
  return text === '' ? [] : text.slice(1, -1).split('][');
}
