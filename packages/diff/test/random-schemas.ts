/** Random schemas of a few names and values, so that two of them often have something in common. */

type Json = Readonly<Record<string, unknown>>;

/** A generator of numbers from 0 to below 1, the same for each seed (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const typeNames = ['null', 'boolean', 'object', 'array', 'number', 'integer', 'string'];
const names = ['a', 'b', 'c'];
/** Keywords that contain schemas. */
const lists = ['allOf', 'anyOf', 'oneOf', 'prefixItems'];
const maps = ['properties', 'patternProperties', 'dependentSchemas'];
const others = ['not', 'if', 'then', 'else', 'unevaluatedProperties', 'unevaluatedItems'];
const schemas = ['items', 'additionalProperties', 'contains', 'propertyNames', ...others];
const scalars = [null, true, false, '', 'a', 'ab', 'abc', -1, 0, 1, 1.5, 2, 3, 4, 6];

export class RandomSchemas {
  constructor(private readonly random: () => number) {}

  pick<Item>(items: readonly Item[]): Item {
    return items[Math.floor(this.random() * items.length)] as Item;
  }

  some<Item>(items: readonly Item[], share = 0.4): Item[] {
    return items.filter(() => this.random() < share);
  }

  /** A value of any type. */
  value(depth = 0): unknown {
    const kind = this.random();
    if (depth > 2 || kind < 0.4) return this.pick(scalars);
    if (kind < 0.6) return this.some([0, 1, 2, 3]).map(() => this.value(depth + 1));
    return Object.fromEntries(this.some([...names, 'd'], 0.5).map((name) => [name, this.value(depth + 1)]));
  }

  schema(depth = 0): unknown {
    if (this.random() < 0.08) return this.pick([true, false, {}]);
    if (this.random() < 0.1) return { $ref: '#/components/schemas/Node' };
    const count = 1 + Math.floor(this.random() * 3);
    return Object.assign({}, ...Array.from({ length: count }, () => this.keyword(depth))) as Json;
  }

  /** The schema with another value of some keyword, at any depth. */
  changed(schema: unknown, depth = 0): unknown {
    if (typeof schema !== 'object' || schema === null || this.random() < 0.15) return this.schema(depth);
    const entries: [string, unknown][] = Object.entries(schema);
    const kind = this.random();
    if (kind < 0.25 || entries.length === 0) return { ...schema, ...this.keyword(depth) };
    const [name, value] = this.pick(entries);
    if (kind < 0.5) return Object.fromEntries(entries.filter(([each]) => each !== name));
    return { ...schema, [name]: this.changedValue(name, value, depth + 1) };
  }

  private changedValue(name: string, value: unknown, depth: number): unknown {
    if (lists.includes(name)) return this.changedList(value as unknown[], depth);
    if (maps.includes(name)) return this.changedMap(value as Json, depth);
    if (schemas.includes(name)) return this.changed(value, depth);
    const similar = Array.from({ length: 20 }, () => this.keyword(depth)).find((each) => name in each);
    return similar?.[name] ?? value;
  }

  private changedList(list: readonly unknown[], depth: number): unknown[] {
    const kind = this.random();
    if (kind < 0.2) return [...list, this.schema(depth)];
    if (kind < 0.4 && list.length > 1) return list.slice(1);
    if (kind < 0.5) return [...list].reverse();
    const index = Math.floor(this.random() * list.length);
    return list.map((each, at) => (at === index ? this.changed(each, depth) : each));
  }

  private changedMap(map: Json, depth: number): Json {
    const names = Object.keys(map);
    if (names.length === 0) return map;
    const name = this.pick(names);
    return { ...map, [name]: this.changed(map[name], depth) };
  }

  private keyword(depth: number): Json {
    const kind = this.random();
    if (kind < 0.2) return { type: this.random() < 0.7 ? this.pick(typeNames) : nonEmpty(this.some(typeNames)) };
    if (kind < 0.5 || depth > 2) return this.scalarKeyword();
    return this.structure(depth + 1);
  }

  private scalarKeyword(): Json {
    const small = () => Math.floor(this.random() * 4);
    return this.pick<() => Json>([
      () => ({ enum: nonEmpty(this.some(scalars)) }),
      () => ({ const: this.pick(scalars) }),
      () => ({ minimum: small() - 1 }),
      () => ({ maximum: small() }),
      () => ({ exclusiveMinimum: small() - 1 }),
      () => ({ exclusiveMaximum: small() + 0.5 * small() }),
      () => ({ multipleOf: this.pick([0.5, 1, 2, 3, 4]) }),
      () => ({ minLength: small() }),
      () => ({ maxLength: small() }),
      () => ({ pattern: this.pick(['^a', 'b', 'c$']) }),
      () => ({ minItems: small() }),
      () => ({ maxItems: small() }),
      () => ({ uniqueItems: this.random() < 0.8 }),
      () => ({ minProperties: small() }),
      () => ({ maxProperties: small() }),
      () => ({ required: this.some(names) }),
      () => ({ dependentRequired: { [this.pick(names)]: this.some(names) } }),
    ])();
  }

  private structure(depth: number): Json {
    const schema = () => this.schema(depth);
    const several = () => [schema(), ...this.some([0, 1], 0.6).map(schema)];
    const map = (keys: readonly string[]) => Object.fromEntries(keys.map((name) => [name, schema()]));
    return this.pick<() => Json>([
      () => ({ properties: map(this.some(names, 0.6)) }),
      () => ({ properties: map(this.some(names, 0.6)), additionalProperties: this.pick([false, true, schema()]) }),
      () => ({ additionalProperties: schema() }),
      () => ({ patternProperties: map(this.some(['^a', 'b', '^[cd]'], 0.5)) }),
      () => ({ propertyNames: schema() }),
      () => ({ dependentSchemas: map([this.pick(names)]) }),
      // Within `contains`, Ajv decides them wrongly.
      () => (depth > 1 ? {} : { unevaluatedProperties: this.pick([false, schema()]) }),
      () => ({ items: schema() }),
      () => ({ prefixItems: several() }),
      () => (depth > 1 ? {} : { unevaluatedItems: this.pick([false, schema()]) }),
      () => ({ contains: schema(), ...this.pick([{}, { minContains: 0 }, { minContains: 2 }, { maxContains: 1 }]) }),
      () => ({ allOf: several() }),
      () => ({ anyOf: several() }),
      () => ({ oneOf: several() }),
      () => ({ not: schema() }),
      () => ({ if: schema(), then: schema(), ...this.pick([{}, { else: schema() }]) }),
    ])();
  }
}

function nonEmpty(items: readonly unknown[]): readonly unknown[] {
  return items.length > 0 ? items : ['string'];
}
