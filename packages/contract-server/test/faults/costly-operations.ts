/** An operation whose contract makes some requests expensive, with the most expensive ones that were found. */
export interface CostlyOperation {
  /** Of a body in each media type. */
  readonly bodies?: Readonly<Record<string, unknown>>;
  readonly parameters?: readonly object[];
  /** What the handler returns. */
  readonly response?: { readonly schema: unknown; readonly body: unknown };
  readonly requests: readonly CostlyRequest[];
}

export interface CostlyRequest {
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

const schemaAt = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const text = (rules: object) => ({ type: 'string', ...rules });
const object = (properties: object, others: object = {}) => ({ type: 'object', properties, ...others });
const array = (items: unknown, others: object = {}) => ({ type: 'array', items, ...others });
/** Branches that no empty object satisfies. */
const branches = (count: number) =>
  Array.from({ length: count }, (_, index) =>
    object({ [`a${String(index)}`]: text({}) }, { required: [`a${String(index)}`, 'z'] }),
  );
/** Branches that a property tells apart. @param tag returns what a branch says about it. */
const tagged = (count: number, tag: (name: string) => object) =>
  Array.from({ length: count }, (_, index) => {
    const name = `a${String(index)}`;
    return object({ kind: tag(name), [name]: text({}) }, { required: ['kind', name] });
  });
const repeat = (count: number, value: unknown) => JSON.stringify(Array.from({ length: count }, () => value));
/** The value within `depth` objects, each in the field `child` of the next one. */
const nested = (depth: number, leaf: unknown, wrap = (child: unknown): unknown => ({ child })): string => {
  let value = leaf;
  for (let level = 0; level < depth; level += 1) value = wrap(value);
  return JSON.stringify(value);
};
const json = (schema: unknown, ...bodies: readonly string[]): CostlyOperation => ({
  bodies: { 'application/json': schema },
  requests: bodies.map((body) => ({ body, headers: { 'content-type': 'application/json' } })),
});
const inQuery = (parameters: readonly object[], ...queries: readonly string[]): CostlyOperation => ({
  parameters: parameters.map((parameter) => ({ in: 'query', ...parameter })),
  requests: queries.map((query) => ({ query })),
});
const formData = (fields: readonly (readonly [name: string, value: string])[]): CostlyRequest => ({
  headers: { 'content-type': 'multipart/form-data; boundary=b' },
  body: `${fields.map(([name, value]) => `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`).join('')}--b--\r\n`,
});
const form = (body: string): CostlyRequest => ({
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
  body,
});

const ats = '@'.repeat(60_000);
const letters = 'a'.repeat(60_000);
const names = Array.from({ length: 990 }, (_, index) => `name${String(index)}`);

const withoutAutomaton = '^(?:(a*)*\\1b|.*)$';

/** Patterns that match with every text, but only after each way to match its first alternative has failed. */
const rulesOfShortTexts = [
  '(a+)+b',
  '(?:a|a?)+b',
  `${'(a|a)'.repeat(40)}b`,
  `${'(?:aa?|a)'.repeat(20)}b`,
  `${'a{0,9}'.repeat(8)}b`,
  '(?:a?){25}a{25}b',
]
  .map((slow) => `^(?:${slow}|.*)$`)
  .flatMap((pattern) => [{ pattern }, { pattern, maxLength: 16 }]);

/** Schemas that contain themselves through several branches or parts. */
export const schemas = {
  // Two branches recurse through the same property, and neither has a discriminator.
  Tree: { oneOf: [schemaAt('Leaf'), schemaAt('Branch')] },
  Leaf: object({ child: schemaAt('Tree'), size: { type: 'integer' } }, { required: ['child'] }),
  Branch: object({ child: schemaAt('Tree'), name: text({}) }, { required: ['child'] }),
  // The first two have the same tag, and the third one has any.
  TaggedTree: {
    oneOf: [
      object({ kind: { enum: ['a', 'b'] }, child: schemaAt('TaggedTree') }, { required: ['kind', 'child'] }),
      object({ kind: { enum: ['a', 'c'] }, child: schemaAt('TaggedTree') }, { required: ['kind', 'child'] }),
      object({ kind: text({}), child: schemaAt('TaggedTree'), d: {} }, { required: ['kind', 'd'] }),
    ],
    discriminator: { propertyName: 'kind' },
  },
  Choice: { anyOf: [schemaAt('Left'), schemaAt('Right'), text({ maxLength: 3 })] },
  Left: object({ child: array(schemaAt('Choice')), left: { type: 'boolean' } }, { required: ['child'] }),
  Right: object({ child: array(schemaAt('Choice')), right: { type: 'boolean' } }, { required: ['child'] }),
  Both: { allOf: [schemaAt('One'), schemaAt('Other')] },
  One: object({ child: schemaAt('Both'), one: text({}) }),
  Other: object({ child: schemaAt('Both'), other: text({}) }),
  // Each level joins the schemas of the same fields of other schemas.
  First: { anyOf: [object({ child: schemaAt('Second') }), object({ child: schemaAt('Third'), a: text({}) })] },
  Second: { anyOf: [object({ child: schemaAt('Third') }), object({ child: schemaAt('First'), b: text({}) })] },
  Third: { allOf: [object({ child: schemaAt('First') }), object({ child: schemaAt('Second'), c: text({}) })] },
  Map: { anyOf: [object({}, { additionalProperties: schemaAt('Map') }), object({ child: schemaAt('Map') }), text({})] },
};

export const operations: Readonly<Record<string, CostlyOperation>> = {
  plain: json(array(object({ name: text({ maxLength: 70 }) })), repeat(490, { name: 'x'.repeat(60) })),
  unions: json(
    { anyOf: [array({ oneOf: branches(3) }), array({ anyOf: branches(10) })] },
    repeat(900, {}),
    repeat(490, { z: '' }),
  ),
  wideUnion: json(array({ anyOf: branches(100) }), repeat(990, {}), repeat(490, { b: 1 })),
  taggedUnions: json(
    array({ oneOf: tagged(150, (name) => ({ enum: [name] })) }),
    repeat(900, {}),
    repeat(490, { kind: 'a149' }),
    repeat(490, { kind: 'none' }),
    JSON.stringify([...Array.from({ length: 300 }, () => ({ kind: 'a149', a149: '' })), {}]),
  ),
  hintedUnions: json(
    array({ anyOf: tagged(150, () => text({})), discriminator: { propertyName: 'kind' } }),
    repeat(900, {}),
    repeat(490, { kind: 'a149' }),
    JSON.stringify([...Array.from({ length: 300 }, () => ({ kind: 'a149', a149: '' })), {}]),
  ),
  taggedTree: json(
    schemaAt('TaggedTree'),
    nested(20, { kind: 'c' }, (child) => ({ kind: 'a', child })),
    nested(60, 5, (child) => ({ kind: 'b', child })),
    nested(60, {}, (child) => ({ kind: 'c', child })),
  ),
  unionOfMap: json(
    object({}, { additionalProperties: { oneOf: branches(10) } }),
    JSON.stringify(Object.fromEntries(names.map((name) => [name, {}]))),
  ),
  nestedArrays: json(
    array(array({ anyOf: branches(10) })),
    repeat(
      30,
      Array.from({ length: 31 }, () => ({})),
    ),
  ),
  closed: json(
    object({ a: text({}) }, { additionalProperties: false }),
    JSON.stringify(Object.fromEntries(names.map((name) => [name, 1]))),
  ),
  tree: json(schemaAt('Tree'), nested(20, { child: 5 }), nested(60, {}), nested(60, 'x')),
  choice: json(
    schemaAt('Choice'),
    nested(20, 5, (child) => ({ child: [child] })),
    nested(30, 'long text', (child) => ({ child: [child, 5] })),
  ),
  both: json(schemaAt('Both'), nested(20, {}), nested(60, { one: 5 }), nested(60, {})),
  joins: json(schemaAt('First'), nested(20, 5), nested(60, { a: 'x' })),
  map: json(schemaAt('Map'), nested(20, 5), nested(60, 5)),
  patterns: json(
    object({
      bounded: text({ maxLength: 100, pattern: '^.+@.+\\..+$' }),
      nested: text({ maxLength: 20, pattern: '^(a+)+$' }),
      free: text({ pattern: '[a-z]+@' }),
      unbounded: text({ pattern: '^(a+)+$' }),
      several: text({ pattern: '^.+@.+@.+\\..+$' }),
      backReference: text({ pattern: '^(a+)+\\1$', maxLength: 5000 }),
      lookBack: text({ pattern: '^.*@.*@' }),
      parts: { allOf: [text({ pattern: '[a-z]+@' }), { maxLength: 20 }] },
      format: text({ format: 'email' }),
      uri: text({ format: 'uri' }),
      name: text({ format: 'hostname' }),
    }),
    ...[
      'bounded',
      'nested',
      'free',
      'unbounded',
      'several',
      'backReference',
      'lookBack',
      'parts',
      'format',
      'uri',
      'name',
    ].flatMap((name) =>
      [ats, letters, `${letters}!`, 'a.'.repeat(30_000), 'a@'.repeat(30_000)].map((value) =>
        JSON.stringify({ [name]: value }),
      ),
    ),
  ),
  textsOfPattern: json(
    array(text({ pattern: '^.+@.+\\..+$' })),
    JSON.stringify(Array.from({ length: 30 }, () => ats.slice(0, 2000))),
    JSON.stringify(Array.from({ length: 30 }, () => `a@a.a${ats.slice(0, 1900)}`)),
  ),
  shortTextsOfPatterns: json(
    object(
      Object.fromEntries(rulesOfShortTexts.map((rules, index) => [String(names[index]), array(text(rules))] as const)),
    ),
    ...rulesOfShortTexts.flatMap((_, index) =>
      [10, 16].map((length) =>
        JSON.stringify({ [String(names[index])]: Array.from({ length: 900 }, () => 'a'.repeat(length)) }),
      ),
    ),
  ),
  textsWithoutAutomaton: json(
    object({ texts: array(text({ pattern: withoutAutomaton })) }, { patternProperties: { [withoutAutomaton]: true } }),
    JSON.stringify({ texts: Array.from({ length: 900 }, () => 'a'.repeat(40)) }),
    JSON.stringify(Object.fromEntries(names.map((name) => [`${'a'.repeat(40)}${name}`, '']))),
  ),
  patternsOfNames: json(
    object({}, { patternProperties: { '[a-z]+@': text({}) }, additionalProperties: true }),
    JSON.stringify({ [letters]: '' }),
    JSON.stringify(Object.fromEntries(names.map((name) => [`${'a'.repeat(50)}${name}`, '']))),
  ),
  equalItems: json(
    array({}, { uniqueItems: true }),
    repeat(1, names),
    JSON.stringify(names),
    JSON.stringify(names.map((name) => ({ [name]: 1 })).slice(0, 480)),
    repeat(480, { toString: '' }),
  ),
  tooManyItems: json(array({ anyOf: branches(10) }, { maxItems: 3, uniqueItems: true }), repeat(990, {})),
  constants: json({ enum: [{ a: 1 }, [1], null] }, repeat(480, { a: 1 })),
  query: inQuery(
    [
      { name: 'ids', explode: false, schema: array({ oneOf: [{ type: 'integer' }, { type: 'boolean' }] }) },
      { name: 'email', schema: text({ maxLength: 100, pattern: '^.+@.+\\..+$' }) },
      { name: 'filter', style: 'deepObject', schema: { anyOf: branches(150) } },
    ],
    `ids=${'a,'.repeat(999)}`,
    `email=${'@'.repeat(7000)}`,
    names
      .slice(0, 100)
      .map((name) => `filter[${name}]=1`)
      .join('&'),
  ),
  header: {
    parameters: [{ in: 'header', name: 'X-Name', schema: text({ maxLength: 20, pattern: '^(a+)+$' }) }],
    requests: [
      { headers: { 'x-name': `${'a'.repeat(15_000)}!` } },
      { headers: { 'x-request-id': `${'a'.repeat(15_000)}!` } },
    ],
  },
  forms: {
    bodies: {
      'application/x-www-form-urlencoded': { anyOf: branches(30) },
      'multipart/form-data': object({}, { additionalProperties: { oneOf: [text({}), { type: 'integer' }] } }),
    },
    requests: [
      form(names.map((name) => `${name}=1`).join('&')),
      form(names.map(() => 'a1=1').join('&')),
      formData(names.map((name) => [name, '1'])),
      formData(names.map(() => ['a', '{}'])),
    ],
  },
  responses: {
    response: { schema: schemaAt('Tree'), body: JSON.parse(nested(60, {})) as object },
    requests: [{}],
  },
  responsesOfJoins: {
    response: { schema: schemaAt('First'), body: JSON.parse(nested(60, { c: 'a', password: 'b' })) as object },
    requests: [{}],
  },
  responsesOfParts: {
    response: { schema: schemaAt('Both'), body: JSON.parse(nested(400, { one: 'a', password: 'b' })) as object },
    requests: [{}],
  },
};
