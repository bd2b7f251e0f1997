import { textOf } from '@contract-server/core/json/equality.js';
import { valuesOf } from './compared-document.js';
import { listedValues } from './schema-keywords.js';
import type { Branch, Choice, Parts, SchemaReader } from './schema-parts.js';
import { bitsOf, types, typesOf } from './schema-types.js';

/** A schema without choices, but for those in which a value must match exactly one of several branches. */
export interface Alternative {
  readonly parts: Parts;
  readonly exclusive: readonly Choice[];
}

/** More alternatives are not compared one by one. */
const alternativesMax = 400;

/**
 * The alternatives that a schema consists of, for values of one type. Branches without the type are omitted, so
 * `anyOf` of two types is the same as a list of types.
 *
 * @param isAnyEnough whether a value may match two branches of `oneOf`, so that it is an `anyOf`.
 */
export function alternativesOf(
  reader: SchemaReader,
  schema: Parts,
  type: number,
  isAnyEnough = false,
  within: readonly Choice[] = [],
): readonly Alternative[] {
  let found: readonly Alternative[] = [{ parts: [], exclusive: [] }];
  for (const part of new Map(schema.map((each) => [each.keywords, each])).values()) {
    found = found.map(({ parts, exclusive }) => ({ parts: [...parts, part], exclusive }));
    // A choice that contains itself adds nothing to itself.
    for (const choice of part.choices.filter((each) => !within.includes(each))) {
      const branches = branchesFor(reader, choice, type);
      const isExclusive = choice.isExclusive && !isAnyEnough && !areDisjoint(reader, branches);
      const options = (isExclusive ? [] : branches).flatMap(({ schema: branch, path }) => {
        const parts = reader.partsAt(branch, [...part.path, ...path]);
        return alternativesOf(reader, parts, type, isAnyEnough, [...within, choice]);
      });
      const isCounted = !isExclusive && found.length * options.length <= alternativesMax;
      found = isCounted ? product(found, options) : product(found, [{ parts: [], exclusive: [choice] }]);
    }
  }
  return found;
}

/** The branches of a choice that allow a type. */
export function branchesFor(reader: SchemaReader, { branches }: Choice, type: number): readonly Branch[] {
  return branches.filter(({ schema }) => (typesOf(reader, reader.partsOf(schema)) & type) !== 0);
}

function product(found: readonly Alternative[], options: readonly Alternative[]): readonly Alternative[] {
  return found.flatMap(({ parts, exclusive }) =>
    options.map((option) => ({
      parts: [...parts, ...option.parts],
      exclusive: [...exclusive, ...option.exclusive],
    })),
  );
}

/** Whether no value matches two branches, by their types or by the values of a required property. */
function areDisjoint(reader: SchemaReader, branches: readonly Branch[]): boolean {
  const all = branches.map(({ schema }) => reader.partsOf(schema));
  const sets = all.map((parts) => typesOf(reader, parts));
  const tags = all.map((parts) => tagsOf(reader, parts));
  return all.every((_, index) =>
    all.slice(0, index).every((__, other) => {
      const shared = (sets[index] ?? 0) & (sets[other] ?? 0);
      const [one, second] = [tags[index] ?? new Map<string, never>(), tags[other] ?? new Map<string, never>()];
      const isTagged = [...one].some(([name, values]) => {
        const others: ReadonlySet<string> | undefined = second.get(name);
        return others !== undefined && ![...values].some((value) => others.has(value));
      });
      return shared === 0 || (bitsOf(shared).every((bit) => bit === types.object) && isTagged);
    }),
  );
}

/** The values of each required property whose strings are listed. */
function tagsOf(reader: SchemaReader, parts: Parts): ReadonlyMap<string, ReadonlySet<string>> {
  const required = parts.flatMap(({ keywords }) => (keywords['required'] ?? []) as string[]);
  return new Map(
    required.flatMap((name) => {
      const own = parts.flatMap(({ keywords }) => reader.partsOf(valuesOf(keywords['properties'])[name]));
      const listed = typesOf(reader, own) === types.string ? listedValues(own, types.string) : undefined;
      return listed === undefined ? [] : [[name, new Set((listed.value as unknown[]).map(textOf))] as const];
    }),
  );
}
