import type { Schema, Schemas } from '../contract/schemas.js';
import { isMereReference } from './annotations.js';
import { isMessage, type OmittedMembers, type Scope } from './omitted-members.js';

/** The keywords whose schemas apply to the same value. */
const applying = /^(?:allOf|anyOf|oneOf|then|else|dependentSchemas)$/;
/** Those whose schemas are tests: a member that a message does not have is missing in them. */
const tests = /^(?:if|not)$/;

/** A translation of schemas in a scope. */
export interface Scoped<Translation> {
  readonly schemas: Schemas;
  /** Which members must not be sent; `undefined` where all are allowed. */
  readonly omitted: OmittedMembers | undefined;
  /** What applies to the same value, if that decides which of its members are omitted. */
  readonly scope: Scope | undefined;
  /** The same translation in another scope; in a `test`, nothing is omitted. */
  readonly within: (scope: Scope | 'test' | undefined) => Translation;
}

/** How the schemas in a schema are translated, where some of its members are omitted. */
export class OmissionScope<Translation extends Scoped<Translation>> {
  private constructor(
    private readonly translation: Translation,
    private readonly omitted: OmittedMembers,
    private readonly scope: Scope,
  ) {}

  /** @returns `undefined` if no member of the schema is omitted, or if its reference decides which are. */
  static of<Translation extends Scoped<Translation>>(
    schema: Schema,
    translation: Translation,
  ): OmissionScope<Translation> | undefined {
    const { omitted, scope } = translation;
    if (omitted === undefined || isMessage in schema || isMereReference(schema, translation.schemas.isVersion30))
      return undefined;
    if (scope !== undefined) return new OmissionScope(translation, omitted, scope);
    return omitted.isIn(schema) ? new OmissionScope(translation, omitted, omitted.scopeOf(schema, true)) : undefined;
  }

  /** The translation of what applies to the same value. */
  get parts(): Translation {
    return this.translation.within(this.omitted.scopeOf(this.scope.schema, false));
  }

  /** The translation of a schema in a keyword. @param key its name or its index there. */
  inner(keyword: string, key: string | number, node: unknown): Translation {
    if (applying.test(keyword)) return this.parts;
    if (tests.test(keyword)) return this.translation.within('test');
    const isMember = keyword === 'properties' || keyword === 'prefixItems' || keyword === 'items';
    const joined = isMember ? this.omitted.member(this.scope.schema, keyword === 'items' ? Infinity : key) : undefined;
    const isJoined = joined !== node && typeof joined === 'object' && this.omitted.isIn(joined);
    return this.translation.within(isJoined ? this.omitted.scopeOf(joined, true) : undefined);
  }

  /** Whether the message does not have a field. */
  omits(name: string): boolean {
    return this.omitted.isOmitted(this.omitted.member(this.scope.schema, name));
  }

  /** @param isExclusive whether a value matches one branch of `oneOf` at most, whichever members are omitted. */
  relax(schema: Record<string, unknown>, isExclusive: boolean): void {
    this.omitted.relax(schema, this.scope.schema, isExclusive);
    addItems(schema);
  }

  forbid(schema: Record<string, unknown>): void {
    if (this.scope.isWhole) this.omitted.forbid(schema, this.scope.schema);
  }
}

/** Adds `items` beside `contains`, which alone would allow omitted members in all items but one. */
function addItems(schema: Record<string, unknown>): void {
  const { contains, items, unevaluatedItems } = schema;
  if (contains !== undefined && items === undefined && unevaluatedItems === undefined) schema['items'] = {};
}
