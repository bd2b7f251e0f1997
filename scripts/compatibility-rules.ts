import type { Change, Effect, Operation } from './contract-change.js';

/**
 * Judges the changes at some places of the contract; `undefined` leaves a change to the next rule, and at last to
 * api-smart-diff.
 */
export interface ChangeRule {
  readonly at: RegExp;
  readonly judge: (change: Change) => Effect | undefined;
}

const isProse = () => 'prose' as const;
const breaks = () => 'breaking' as const;
const mayBeAdded = ({ action }: Change) => (action === 'add' ? 'addition' : 'breaking');
const mayBeRemoved = ({ action }: Change) => (action === 'remove' ? 'addition' : 'breaking');
const mayNotBeRemoved = ({ action }: Change) => (action === 'remove' ? 'breaking' : undefined);
const mayNotBeReplaced = ({ action }: Change) => (action === 'replace' ? 'breaking' : undefined);
const mayRise = ({ before, after }: Change) => (Number(after) > Number(before) ? 'addition' : 'breaking');
const mayFall = ({ before, after }: Change) => (Number(after) < Number(before) ? 'addition' : 'breaking');

/**
 * What api-smart-diff cannot know, or judges otherwise than this contract promises in its section "What may change".
 * The first rule that has a judgement decides. An extension that no rule knows breaks, so that nobody adds one without
 * deciding what may become of it.
 */
export const changeRules: readonly ChangeRule[] = [
  // Words for people. A field or a header may have such a name too.
  { at: /(?<!\/(properties|headers))\/(summary|description|example|bearerFormat|x-allowed(\/\w+)?)$/, judge: isProse },
  { at: /\/content\/[^/]+\/examples(\/|$)/, judge: isProse },
  { at: /^(tags|servers)(\/|$)/, judge: isProse },
  { at: /\/(x-deprecated-at|x-successor)$/, judge: isProse },

  // Plans, limits and bans: a client lives with more freedom, and was promised no less.
  { at: /^x-rate-limit-plans\/[^/]+$/, judge: mayBeAdded },
  { at: /^x-rate-limit-plans\/[^/]+\/requestsPer(Minute|Day)$/, judge: mayRise },
  { at: /^x-rate-limit-address-plan$/, judge: breaks },
  { at: /^x-rate-limit-bans\/abused(MinuteFactor|MinutesInARow)$/, judge: mayRise },
  { at: /^x-rate-limit-bans\/(firstBan|longestBan|remembered)Seconds$/, judge: mayFall },
  { at: /^x-request-limits\/\w+Max$/, judge: mayRise },
  { at: /^x-document-rate-limit\/requestsPerMinute$/, judge: mayRise },
  { at: /\/(x-max-body-bytes|x-idempotency-retention-seconds)$/, judge: mayRise },

  // Errors: a code keeps its name and its status.
  { at: /^x-error-codes\/[^/]+$/, judge: mayBeAdded },
  { at: /^x-error-codes\/[^/]+\/status$/, judge: breaks },
  { at: /^x-error-codes\/[^/]+\/(cause|cure)$/, judge: isProse },

  // Keys: what was valid stays valid, and what needed no key needs none.
  { at: /^components\/securitySchemes\/[^/]+$/, judge: mayBeAdded },
  { at: /\/x-key-prefixes\/[^/]+$/, judge: mayBeAdded },
  { at: /^security$/, judge: ({ after }) => (after === undefined ? 'addition' : 'breaking') },
  { at: /^paths\/[^/]+\/[^/]+\/security$/, judge: ({ after }) => (isEmpty(after) ? 'addition' : 'breaking') },
  { at: /^(paths\/[^/]+\/[^/]+\/)?security\//, judge: breaks },

  // The life of an operation.
  { at: /^paths\/[^/]+\/[^/]+$/, judge: removalOfOperation },
  { at: /^paths\/[^/]+\/[^/]+\/x-stability$/, judge: ({ after }) => (after === 'stable' ? 'addition' : 'breaking') },
  { at: /^paths\/[^/]+\/[^/]+\/x-sunset$/, judge: sunset },

  // Generated clients name their methods and the parameters of paths by these.
  { at: /^paths\/[^/]+\/[^/]+\/operationId$/, judge: breaks },
  { at: /^paths\/[^/]+\/[^/]+\/parameters\/\d+\/name$/, judge: breaks },

  // A closed body refuses a field that it has lost; a client reads whatever it was given, required or not. Nobody can
  // tell whether one pattern allows more than another.
  { at: /\/requestBody\/.*\/required\/\d+$/, judge: mayBeRemoved },
  { at: /\/requestBody\/.*\/properties\/[^/]+$/, judge: mayNotBeRemoved },
  { at: /\/responses\/.*\/properties\/[^/]+$/, judge: mayNotBeRemoved },
  { at: /\/responses\/.*\/nullable$/, judge: ({ after }) => (after === true ? 'breaking' : 'addition') },
  { at: /\/nullable$/, judge: ({ after }) => (after === true ? 'addition' : 'breaking') },
  { at: /\/responses\/.*\/format$/, judge: mayBeAdded },
  { at: /(?<!\/(properties|headers))\/(type|pattern)$/, judge: mayNotBeReplaced },

  // Headers of answers, whose schemas api-smart-diff does not judge: what is added to one leaves fewer values to
  // expect.
  { at: /\/responses\/[^/]+\/headers\/[^/]+$/, judge: mayBeAdded },
  { at: /\/responses\/[^/]+\/headers\/[^/]+\/required$/, judge: mayBeAdded },
  { at: /\/responses\/[^/]+\/headers\/[^/]+\/schema\/enum\/\d+$/, judge: mayBeRemoved },
  { at: /\/responses\/[^/]+\/headers\/[^/]+\/schema\//, judge: mayBeAdded },
];

/** An operation goes on the day that the released contract announced, or later. */
function removalOfOperation({ action, before, today }: Change): Effect | undefined {
  if (action !== 'remove') return undefined;
  const { 'x-sunset': announced } = before as Operation;
  return announced !== undefined && announced <= today ? 'addition' : 'breaking';
}

/** A removal is announced at least 12 months before, and never comes earlier than announced. */
function sunset({ action, before, after, operation }: Change): Effect {
  if (action === 'remove') return 'addition';
  if (action === 'replace') return String(after) > String(before) ? 'addition' : 'breaking';
  const deprecatedAt = operation?.['x-deprecated-at'];
  if (deprecatedAt === undefined) return 'breaking';
  const [year, ...rest] = deprecatedAt.split('-');
  return String(after) >= [Number(year) + 1, ...rest].join('-') ? 'addition' : 'breaking';
}

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}
