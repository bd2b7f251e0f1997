/**
 * What a change does to clients of the released contract: it breaks some, it gives them more, or it only tells them
 * more.
 */
export type Effect = 'breaking' | 'addition' | 'prose';

/** What of an operation a judgement needs. */
export interface Operation {
  readonly 'x-stability'?: string;
  readonly 'x-deprecated-at'?: string;
  readonly 'x-sunset'?: string;
}

/** What of a contract a judgement needs. */
export interface Contract {
  readonly info: { readonly version: string };
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly securitySchemes: unknown };
  readonly 'x-service-responses': unknown;
}

/** One change between the released contract and the one at hand. */
export interface Change {
  /** Where, as a JSON Pointer without its first slash: `paths/~1pets/get/deprecated`. References have been followed. */
  readonly at: string;
  readonly action: 'add' | 'remove' | 'replace' | 'rename';
  readonly before: unknown;
  readonly after: unknown;
  /** The operation as it stands in the contract at hand, if the change is in one. */
  readonly operation: Operation | undefined;
  /** The day of the judgement, `YYYY-MM-DD`. */
  readonly today: string;
}
