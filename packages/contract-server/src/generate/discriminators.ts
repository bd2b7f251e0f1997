import { pointerTo } from '@contract-server/core/contract/json-pointer.js';
import { type Schema, type SchemaDocument, type Schemas, schemasOf } from '@contract-server/core/contract/schemas.js';

interface Discriminator {
  readonly propertyName: string;
  readonly mapping?: Readonly<Record<string, string>>;
}

type Holder = Record<string, unknown> & { discriminator?: Discriminator };

/**
 * Removes the discriminators, in place, by which openapi-typescript would forbid valid values: it gives the property of
 * each schema that they lead to the type of its names, also if the schema lists other values for the property, and
 * also if another discriminator has other names for the schema.
 */
export function removeContradictions(document: SchemaDocument): void {
  const schemas = schemasOf(document);
  const holders = holdersIn(document).map(([holder, discriminator]) => {
    return { holder, discriminator, names: namesBy(schemas, holder, discriminator) };
  });
  const known = new Map<string, string>();
  const contradicted = new Set<string>();
  for (const { discriminator, names } of holders)
    for (const [reference, values] of names) {
      const key = keyOf(reference, discriminator);
      if (!known.has(key)) known.set(key, String(values));
      const isSame = known.get(key) === String(values);
      if (!isSame || !allows(schemas, reference, discriminator, values)) contradicted.add(key);
    }
  for (const { holder, discriminator, names } of holders)
    if ([...names.keys()].some((reference) => contradicted.has(keyOf(reference, discriminator))))
      delete holder.discriminator;
}

function keyOf(reference: string, { propertyName }: Discriminator): string {
  return JSON.stringify([reference, propertyName]);
}

function holdersIn(document: object): readonly (readonly [Holder, Discriminator])[] {
  const found: (readonly [Holder, Discriminator])[] = [];
  JSON.stringify(document, (_, node: unknown) => {
    const { discriminator } = Object(node) as Holder;
    if (typeof discriminator?.propertyName === 'string') found.push([node as Holder, discriminator]);
    return node;
  });
  return found;
}

/** The values of the property that name each schema, by its reference: of a branch, or one that extends the holder. */
function namesBy(schemas: Schemas, holder: Holder, { mapping = {} }: Discriminator) {
  const { oneOf } = holder;
  const references = Array.isArray(oneOf)
    ? (oneOf as Schema[]).flatMap(({ $ref }) => (typeof $ref === 'string' ? [$ref] : []))
    : extensionsOf(schemas, holder);
  return new Map(
    references.map((reference) => {
      const mapped = Object.keys(mapping).filter((name) => mapping[name] === reference);
      return [reference, mapped.length > 0 ? mapped : [reference.slice(reference.lastIndexOf('/') + 1)]];
    }),
  );
}

/** The schemas that contain a schema by `allOf`, also in several steps. */
function extensionsOf(schemas: Schemas, base: object): string[] {
  return Object.entries(schemas.named)
    .filter(([, schema]) => schema !== base && schemas.conjunctsOf(schema).includes(base as Schema))
    .map(([name]) => pointerTo(['components', 'schemas', name]));
}

/** Whether a schema lists no other values for the property. */
function allows(
  schemas: Schemas,
  reference: string,
  { propertyName }: Discriminator,
  values: readonly string[],
): boolean {
  const schema = schemas.at(reference);
  if (typeof schema !== 'object' || schema === null) return true;
  const properties = schemas.conjunctsOf(schema as Schema).flatMap(({ properties: declared }) => {
    const property = (declared as Readonly<Record<string, unknown>> | undefined)?.[propertyName];
    return typeof property === 'object' && property !== null ? schemas.conjunctsOf(property as Schema) : [];
  });
  return properties.every(({ enum: listed, const: only }) => {
    const allowed = only === undefined ? listed : [only];
    return !Array.isArray(allowed) || values.every((value) => allowed.includes(value));
  });
}
