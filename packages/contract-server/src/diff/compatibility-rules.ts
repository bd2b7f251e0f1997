import type { OpenAPIV3 } from 'openapi-types';

/** The effect of a change on clients of the released contract, in the terms of api-smart-diff. */
export type Effect = 'breaking' | 'non-breaking' | 'annotation';

/** The properties of an operation that the rules depend on. */
export interface Operation {
  readonly operationId?: string;
  readonly parameters?: readonly object[];
  readonly 'x-stability'?: string;
  readonly 'x-deprecated-at'?: string;
  readonly 'x-sunset'?: string;
}

/** The properties of a contract that the comparison depends on. */
export interface Contract {
  readonly info: { readonly version: string };
  readonly servers?: readonly OpenAPIV3.ServerObject[];
  readonly paths?: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

/** A change between the released contract and the current one. */
export interface Change {
  /** A JSON Pointer without its first slash: `paths/~1books/get/deprecated`. References are resolved. */
  readonly at: string;
  readonly action: 'add' | 'remove' | 'replace' | 'rename';
  readonly before: unknown;
  readonly after: unknown;
  /** The operation that has changed, as in the current contract. */
  readonly operation: Operation | undefined;
  /** `YYYY-MM-DD` */
  readonly today: string;
}

/** Classifies the changes at matching places of the contract. `undefined` leaves a change to the next rule. */
export interface CompatibilityRule {
  readonly at: RegExp;
  readonly classify: (change: Change) => Effect | undefined;
}

const annotation = () => 'annotation' as const;
const breaking = () => 'breaking' as const;
const additionAllowed = ({ action }: Change) => (action === 'add' ? 'non-breaking' : 'breaking');
const removalAllowed = ({ action }: Change) => (action === 'remove' ? 'non-breaking' : 'breaking');
const removalBreaking = ({ action }: Change) => (action === 'remove' ? 'breaking' : undefined);
const replacementBreaking = ({ action }: Change) => (action === 'replace' ? 'breaking' : undefined);
const increaseAllowed = ({ before, after }: Change) => (Number(after) > Number(before) ? 'non-breaking' : 'breaking');
const decreaseAllowed = ({ before, after }: Change) => (Number(after) < Number(before) ? 'non-breaking' : 'breaking');

/**
 * The rules that api-smart-diff does not have, or that differ from the contract's section "Versioning". The first
 * rule that returns an effect decides.
 */
export const compatibilityRules: readonly CompatibilityRule[] = [
  // Documentation. A field or a header can have such a name too.
  {
    at: /(?<!\/(properties|headers))\/(summary|description|example|bearerFormat|x-allowed(\/\w+)?)$/,
    classify: annotation,
  },
  {
    at: /\/content\/[^/]+\/examples(\/|$)|^(tags|servers)(\/|$)|\/(x-deprecated-at|x-successor)$/,
    classify: annotation,
  },
  { at: /^paths\/[^/]+\/[^/]+\/responses\/[^/]+\/links(\/|$)/, classify: annotation },

  // Plans, limits and bans may only become more generous.
  { at: /^x-rate-limit-plans\/[^/]+$/, classify: additionAllowed },
  { at: /^x-rate-limit-plans\/[^/]+\/requestsPer(Minute|Day)$/, classify: increaseAllowed },
  { at: /^x-rate-limit-address-plan$/, classify: breaking },
  { at: /^x-rate-limit-ban\/rejectedRequestsFactor$/, classify: increaseAllowed },
  { at: /^x-rate-limit-ban\/seconds$/, classify: decreaseAllowed },
  { at: /^paths\/[^/]+\/[^/]+\/x-rate-limit$/, classify: removalAllowed },
  { at: /^paths\/[^/]+\/[^/]+\/x-rate-limit\/requests$/, classify: increaseAllowed },
  { at: /^paths\/[^/]+\/[^/]+\/x-rate-limit\/seconds$/, classify: decreaseAllowed },
  { at: /\/(x-max-body-(bytes|values)|x-idempotency-retention-seconds)$/, classify: increaseAllowed },

  // Error codes keep their name and status.
  { at: /^x-error-codes\/[^/]+$/, classify: additionAllowed },
  { at: /^x-error-codes\/[^/]+\/status$/, classify: breaking },
  { at: /^x-error-codes\/[^/]+\/(cause|resolution)$/, classify: annotation },

  // Valid keys stay valid, and an operation without authentication stays so.
  { at: /^components\/securitySchemes\/[^/]+$/, classify: additionAllowed },
  { at: /\/x-key-prefixes\/[^/]+$/, classify: additionAllowed },
  { at: /^components\/securitySchemes\/[^/]+\/flows\/[^/]+\/scopes\/[^/]+$/, classify: classifyScope },
  { at: /^security$/, classify: ({ after }) => (after === undefined ? 'non-breaking' : 'breaking') },
  { at: /^paths\/[^/]+\/[^/]+\/security$/, classify: ({ after }) => (isEmpty(after) ? 'non-breaking' : 'breaking') },
  { at: /^(paths\/[^/]+\/[^/]+\/)?security\//, classify: breaking },

  // Deprecation and removal of operations.
  { at: /^paths\/[^/]+\/[^/]+$/, classify: classifyOperation },
  {
    at: /^paths\/[^/]+\/[^/]+\/x-stability$/,
    classify: ({ after }) => (after === 'stable' ? 'non-breaking' : 'breaking'),
  },
  { at: /^paths\/[^/]+\/[^/]+\/x-sunset$/, classify: classifySunset },

  // What the service sends to clients, which ignore what they do not expect.
  { at: /^(webhooks|paths\/[^/]+\/[^/]+\/callbacks)\/[^/]+$/, classify: additionAllowed },

  // The names of methods and parameters in generated clients. Without an operationId, a method has a derived name.
  {
    at: /^paths\/[^/]+\/[^/]+\/operationId$/,
    classify: ({ before }) => (/^[A-Z]+ \//.test(String(before)) ? 'non-breaking' : 'breaking'),
  },
  { at: /^paths\/[^/]+\/[^/]+\/parameters\/\d+\/name$/, classify: breaking },

  // A closed request body rejects a removed field. A client may read every field of a response, required or not.
  // Whether one pattern allows more than another cannot be decided.
  { at: /\/requestBody\/.*\/required\/\d+$/, classify: removalAllowed },
  { at: /\/requestBody\/.*\/properties\/[^/]+$/, classify: removalBreaking },
  { at: /\/responses\/.*\/properties\/[^/]+$/, classify: removalBreaking },
  { at: /\/responses\/.*\/nullable$/, classify: ({ after }) => (after === true ? 'breaking' : 'non-breaking') },
  { at: /\/nullable$/, classify: ({ after }) => (after === true ? 'non-breaking' : 'breaking') },
  { at: /\/responses\/.*\/format$/, classify: additionAllowed },
  { at: /(?<!\/(properties|headers))\/type$/, classify: classifyType },
  { at: /(?<!\/(properties|headers))\/pattern$/, classify: replacementBreaking },

  // Response headers, whose schemas api-smart-diff ignores: an additional keyword allows fewer values.
  { at: /\/responses\/[^/]+\/headers\/[^/]+$/, classify: additionAllowed },
  { at: /\/responses\/[^/]+\/headers\/[^/]+\/required$/, classify: additionAllowed },
  { at: /\/responses\/[^/]+\/headers\/[^/]+\/schema\/enum\/\d+$/, classify: removalAllowed },
  { at: /\/responses\/[^/]+\/headers\/[^/]+\/schema\//, classify: additionAllowed },

  // Extensions of other tools.
  { at: /(^|(?<!\/(properties|headers|responses|content|callbacks))\/)x-/, classify: annotation },
];

/** An operation may be removed from the day on that the released contract announces. */
function classifyOperation({ action, before, today }: Change): Effect | undefined {
  if (action !== 'remove') return undefined;
  const { 'x-sunset': announced } = before as Operation;
  return announced !== undefined && announced <= today ? 'non-breaking' : 'breaking';
}

/** A removal is announced for a deprecated operation and a day to come, and may only be postponed. */
function classifySunset({ action, before, after, operation, today }: Change): Effect {
  if (action === 'remove') return 'non-breaking';
  if (action === 'replace') return String(after) > String(before) ? 'non-breaking' : 'breaking';
  const deprecatedAt = operation?.['x-deprecated-at'];
  if (deprecatedAt === undefined) return 'breaking';
  return String(after) > deprecatedAt && String(after) > today ? 'non-breaking' : 'breaking';
}

/** A scope may be added, and its value is a description. */
function classifyScope({ action }: Change): Effect {
  return action === 'replace' ? 'annotation' : action === 'add' ? 'non-breaking' : 'breaking';
}

/** A request may allow more types, and a response fewer. */
function classifyType({ at, action, before, after }: Change): Effect | undefined {
  if (action !== 'replace') return undefined;
  const [allowed, used] = at.includes('/responses/') ? [before, after] : [after, before];
  const types = [allowed].flat();
  const isAllowed = (type: unknown) => types.includes(type) || (type === 'integer' && types.includes('number'));
  return [used].flat().every(isAllowed) ? 'non-breaking' : 'breaking';
}

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}
