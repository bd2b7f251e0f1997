import type { Direction } from './compared-document.js';
import type { Effect, Verdict } from './verdicts.js';
import * as verdicts from './verdicts.js';

const { ifRaised, ifLowered, ifMore, ifFewer, ifWiderFormat, ifNarrowerFormat, ifDivisor, ifMultiple } = verdicts;
const { ifFree, ifTrue, ifFalse, ifStable, ifDerivedName, ifNotRequired, ifSamePrefix } = verdicts;

type Cell = Effect | Verdict;
/** The effects of the appearance, the disappearance and another value of a keyword, for each direction. */
type Row = readonly [
  requestAdded: Cell,
  requestRemoved: Cell,
  requestChanged: Cell,
  responseAdded: Cell,
  responseRemoved: Cell,
  responseChanged: Cell,
];
type Rules = Readonly<Record<string, Row>>;

const breaks = 'breaking';
const ok = 'non-breaking';
const note = 'annotation';
const always: Row = [breaks, breaks, breaks, breaks, breaks, breaks];
const fine: Row = [ok, ok, ok, ok, ok, ok];
const notes: Row = [note, note, note, note, note, note];
/** Without a value, the service has a limit of its own, which is not known here. */
const generous: Row = [breaks, breaks, ifRaised, breaks, breaks, ifRaised];

/**
 * What each change means to clients of the released contract: a request may only widen, a response may only narrow.
 * `name/*` is an entry of a list or a map, whose changes its own parts decide. What has no row is breaking, because it
 * cannot be decided; `x-` extensions of other tools are annotations.
 */
// biome-ignore format: a table
export const compatibilityRules = {
  schema: {
    //                        request                            response
    //                        added    removed  changed          added    removed  changed
    type:                    [breaks,  ok,      ifMore,          ok,      breaks,  ifFewer],
    enum:                    [breaks,  ok,      breaks,          ok,      breaks,  breaks],
    'enum/*':                [ok,      breaks,  breaks,          breaks,  ok,      breaks],
    format:                  [breaks,  ok,      ifWiderFormat,   ok,      breaks,  ifNarrowerFormat],
    minimum:                 [breaks,  ok,      ifLowered,       ok,      breaks,  ifRaised],
    exclusiveMinimum:        [breaks,  ok,      ifLowered,       ok,      breaks,  ifRaised],
    maximum:                 [breaks,  ok,      ifRaised,        ok,      breaks,  ifLowered],
    exclusiveMaximum:        [breaks,  ok,      ifRaised,        ok,      breaks,  ifLowered],
    multipleOf:              [breaks,  ok,      ifDivisor,       ok,      breaks,  ifMultiple],
    minLength:               [breaks,  ok,      ifLowered,       ok,      breaks,  ifRaised],
    maxLength:               [breaks,  ok,      ifRaised,        ok,      breaks,  ifLowered],
    pattern:                 [breaks,  ok,      ifFewer,         ok,      breaks,  ifMore],
    contentEncoding:         [breaks,  ok,      breaks,          ok,      breaks,  breaks],
    contentMediaType:        [breaks,  ok,      breaks,          ok,      breaks,  breaks],
    minItems:                [breaks,  ok,      ifLowered,       ok,      breaks,  ifRaised],
    maxItems:                [breaks,  ok,      ifRaised,        ok,      breaks,  ifLowered],
    uniqueItems:             [breaks,  ok,      breaks,          ok,      breaks,  breaks],
    items:                   [breaks,  ok,      breaks,          ok,      breaks,  breaks],
    'prefixItems/*':         [breaks,  ok,      breaks,          ok,      breaks,  breaks],
    unevaluatedItems:        [breaks,  ok,      breaks,          ok,      breaks,  breaks],
    contains:                [breaks,  ok,      breaks,          ok,      breaks,  breaks],
    minContains:             [breaks,  ok,      ifLowered,       ok,      breaks,  ifRaised],
    maxContains:             [breaks,  ok,      ifRaised,        ok,      breaks,  ifLowered],
    minProperties:           [breaks,  ok,      ifLowered,       ok,      breaks,  ifRaised],
    maxProperties:           [breaks,  ok,      ifRaised,        ok,      breaks,  ifLowered],
    // A client reads every field of a response, and the service reads every field of a request.
    'properties/*':          [ok,      breaks,  breaks,          ifFree,  breaks,  breaks],
    'required/*':            [breaks,  ok,      breaks,          ok,      breaks,  breaks],
    // Its schema is compared with what covered its names: see `additionalProperties`.
    'patternProperties/*': fine,
    additionalProperties:    [breaks,  ok,      breaks,          ok,      breaks,  breaks],
    unevaluatedProperties:   [breaks,  ok,      breaks,          ok,      breaks,  breaks],
    propertyNames:           [breaks,  ok,      breaks,          ok,      breaks,  breaks],
    'dependentRequired/*':   [breaks,  ok,      ifFewer,         ok,      breaks,  ifMore],
    'dependentSchemas/*':    [breaks,  ok,      breaks,          ok,      breaks,  breaks],
    'anyOf/*':               [ok,      breaks,  breaks,          breaks,  ok,      breaks],
    oneOf:                   [breaks,  ok,      breaks,          ok,      breaks,  breaks],
    not:                     [breaks,  ok,      breaks,          ok,      breaks,  breaks],
    if:                      [breaks,  ok,      breaks,          ok,      breaks,  breaks],
    // No sets of values, but what a service does, or what a client generates.
    default:                 [ok,      breaks,  breaks,          note,    note,    note],
    // The service validates by the branches, and a client may select the type of a response by the discriminator.
    discriminator:           [note,    note,    note,            note,    breaks,  breaks],
    xml:                     [breaks,  breaks,  breaks,          breaks,  breaks,  breaks],
    deprecated: fine,
    ...{ title: notes, description: notes, example: notes, examples: notes, externalDocs: notes, $comment: notes },
    // Fields that are `readOnly` are no part of requests, and `writeOnly` ones of responses: see `properties/*`.
    ...{ readOnly: notes, writeOnly: notes, contentSchema: notes },
    ...{ $defs: notes, definitions: notes, $schema: notes, $id: notes, $anchor: notes, $dynamicAnchor: notes },
  },
  parameter: {
    'parameters/*':          [ifNotRequired, breaks, breaks,     ok,      breaks,  breaks],
    name: always,
    required:                [ifFalse, ok,      ifFalse,         ok,      breaks,  ifTrue],
    style: always,
    explode: always,
    allowReserved:           [ok,      breaks,  ifTrue,          breaks,  ok,      ifFalse],
    allowEmptyValue:         [ok,      breaks,  ifTrue,          breaks,  ok,      ifFalse],
    schema:                  [breaks,  ok,      breaks,          ok,      breaks,  breaks],
    content: always,
    deprecated: fine,
    'x-idempotency-retention-seconds': generous,
    ...{ description: notes, example: notes, examples: notes },
  },
  requestBody: {
    requestBody:             [ifNotRequired, breaks, breaks,     ok,      breaks,  breaks],
    required:                [ifFalse, ok,      ifFalse,         ok,      breaks,  ifTrue],
    'x-max-body-bytes': generous,
    'x-max-body-values': generous,
    description: notes,
  },
  content: {
    // A client chooses one of the media types of responses.
    'content/*':             [ok,      breaks,  breaks,          ok,      breaks,  breaks],
    schema:                  [breaks,  ok,      breaks,          ok,      breaks,  breaks],
    ...{ example: notes, examples: notes },
    // Of the encoding of a field.
    contentType: always,
    headers: always,
    style: always,
    explode: always,
    allowReserved:           [ok,      breaks,  ifTrue,          breaks,  ok,      ifFalse],
  },
  response: {
    // A status that `default` or a range covered is compared with it instead.
    'responses/*':           [ok,      breaks,  breaks,          breaks,  breaks,  breaks],
    'headers/*':             [ifNotRequired, breaks, breaks,     ok,      breaks,  breaks],
    description: notes,
    links: notes,
  },
  operation: {
    'paths/*': [ok, breaks, breaks, ok, breaks, breaks],
    'webhooks/*': [ok, breaks, breaks, ok, breaks, breaks],
    'callbacks/*': [ok, breaks, breaks, ok, breaks, breaks],
    operationId: [ok, breaks, ifDerivedName, ok, breaks, ifDerivedName],
    // Alternatives, each with its schemes and scopes.
    security: always,
    servers: [breaks, breaks, ifMore, breaks, breaks, ifMore],
    'x-stability': [ifStable, breaks, ifStable, ifStable, breaks, ifStable],
    'x-rate-limit': [breaks, ok, breaks, breaks, ok, breaks],
    'x-rate-limit/requests': [breaks, breaks, ifRaised, breaks, breaks, ifRaised],
    'x-rate-limit/seconds': [breaks, breaks, ifLowered, breaks, breaks, ifLowered],
    deprecated: fine,
    ...{ tags: notes, summary: notes, description: notes, externalDocs: notes },
  },
  securityScheme: {
    'securitySchemes/*': [ok, breaks, breaks, ok, breaks, breaks],
    'x-key-prefixes/*': [ok, breaks, breaks, ok, breaks, breaks],
    'scopes/*': [ok, breaks, note, ok, breaks, note],
    'flows/*': [ok, breaks, breaks, ok, breaks, breaks],
    ...{ description: notes, bearerFormat: notes },
  },
  document: {
    'x-error-codes/*': [ok, breaks, breaks, ok, breaks, breaks],
    ...{ cause: notes, resolution: notes, status: always },
    // Plans, limits and bans may only become more generous.
    'x-rate-limit-plans/*': [ok, breaks, breaks, ok, breaks, breaks],
    ...{ requestsPerMinute: generous, requestsPerDay: generous },
    'x-rate-limit-address-plan': always,
    rejectedRequestsFactor: generous,
    seconds: [breaks, breaks, ifLowered, breaks, breaks, ifLowered],
    servers: [ifSamePrefix, ifSamePrefix, ifSamePrefix, ifSamePrefix, ifSamePrefix, ifSamePrefix],
    ...{ openapi: notes, info: notes, tags: notes, externalDocs: notes, jsonSchemaDialect: notes },
  },
} satisfies Readonly<Record<string, Rules>>;

export type Kind = keyof typeof compatibilityRules;
export type Action = 'add' | 'remove' | 'replace';

/** A change of a keyword, or of an entry `name/*`. */
export interface KeywordChange {
  readonly kind: Kind;
  readonly keyword: string;
  readonly direction: Direction;
  readonly action: Action;
  readonly before: unknown;
  readonly after: unknown;
}

export function actionOf({ before, after }: Pick<KeywordChange, 'before' | 'after'>): Action {
  if (before === undefined) return 'add';
  return after === undefined ? 'remove' : 'replace';
}

const columns = { add: 0, remove: 1, replace: 2 };

/** Looks a change up in the table. */
export function effectOf({ kind, keyword, direction, action, before, after }: KeywordChange): Effect {
  const rules: Rules = compatibilityRules[kind];
  const row = Object.hasOwn(rules, keyword) ? rules[keyword] : undefined;
  if (row === undefined) return keyword.startsWith('x-') ? 'annotation' : 'breaking';
  const cell = row[columns[action] + (direction === 'request' ? 0 : 3)] ?? breaks;
  return typeof cell === 'string' ? cell : cell(before, after);
}
