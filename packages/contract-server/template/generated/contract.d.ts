// Generated from spec/my-service.yaml by `contract-server generate`. Not to be edited.
export type $Read<T> = {
    readonly $read: T;
};
export type $Write<T> = {
    readonly $write: T;
};
export type Readable<T> = T extends $Write<any> ? never : T extends $Read<infer U> ? Readable<U> : T extends readonly (infer E)[] ? readonly Readable<E>[] : T extends object ? {
    [K in keyof T as NonNullable<T[K]> extends $Write<any> ? never : K]: Readable<T[K]>;
} : T;
export type Writable<T> = T extends $Read<any> ? never : T extends $Write<infer U> ? Writable<U> : T extends readonly (infer E)[] ? readonly Writable<E>[] : T extends object ? {
    [K in keyof T as NonNullable<T[K]> extends $Read<any> ? never : K]: Writable<T[K]>;
} & {
    [K in keyof T as NonNullable<T[K]> extends $Read<any> ? K : never]?: never;
} : T;
export interface paths {
    readonly "/books": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List books
         * @description Returns a page of books in ascending order of their ids.
         */
        readonly get: operations["listBooks"];
        readonly put?: never;
        /** Create a book */
        readonly post: operations["createBook"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/books/{bookId}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly bookId: number;
            };
            readonly cookie?: never;
        };
        /** Get a book */
        readonly get: operations["getBook"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        readonly Book: {
            /** @example 1 */
            readonly id: $Read<number>;
            /** @example Dune */
            readonly title: string;
            /** @example Frank Herbert */
            readonly author: string;
        };
        readonly Error: {
            /**
             * @description For programs.
             * @example book_not_found
             */
            readonly code: string;
            /**
             * @description For people.
             * @example No book has the id 7.
             */
            readonly message: string;
            /**
             * @description The HTTP status code.
             * @example 404
             */
            readonly status: number;
        };
    };
    responses: {
        /** @description The request failed. */
        readonly Error: {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Error"];
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    /**
     * List books
     * @description Returns a page of books in ascending order of their ids.
     */
    readonly listBooks: {
        readonly parameters: {
            readonly query?: {
                /** @description The maximum number of books. */
                readonly limit?: number;
                /** @description The id of the last book of the previous page. */
                readonly after?: number;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The books. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": readonly components["schemas"]["Book"][];
                };
            };
            readonly default: components["responses"]["Error"];
        };
    };
    /** Create a book */
    readonly createBook: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["Book"];
            };
        };
        readonly responses: {
            /** @description The book. */
            readonly 201: {
                headers: {
                    /** @description The URL of the book. */
                    readonly Location?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Book"];
                };
            };
            readonly default: components["responses"]["Error"];
        };
    };
    /** Get a book */
    readonly getBook: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly bookId: number;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The book. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Book"];
                };
            };
            readonly default: components["responses"]["Error"];
        };
    };
}

/** The types of the contract. */
export interface Contract {
  readonly operations: operations;
  readonly schemas: components['schemas'];
  readonly paths: paths;
  /** The version of the contract, from `info.version`. */
  readonly version: '0.1.0';
  /** The path prefix of every operation, from `servers`. */
  readonly pathPrefix: '/v1';
  /** The names of the plans, from `x-rate-limit-plans`. */
  readonly planName: 'standard';
  /** The environments of API keys, from `x-key-prefixes`. */
  readonly environmentName: 'production';
  /** The status of each error code, from `x-error-codes`. */
  readonly errorStatuses: {
    /** No book has this id. List the books to find the ids. */
    readonly book_not_found: 404;
  };
  /** The parameters and fields with a default, by operation. */
  readonly defaults: {
    /** List books */
    readonly listBooks: { readonly query: 'limit' | 'after'; readonly header: never; readonly body: never };
    /** Create a book */
    readonly createBook: { readonly query: never; readonly header: never; readonly body: never };
    /** Get a book */
    readonly getBook: { readonly query: never; readonly header: never; readonly body: never };
  };
  /** The path prefixes of operations that have one of their own, by method and path. For clients. */
  readonly prefixes: {
  };
  /** How parameters are serialized that differ from the default of their place, by method and path. For clients. */
  readonly styles: {
  };
  /** The media types of successful responses that are not JSON, by method and path. For clients. */
  readonly mediaTypes: {
  };
  /** The security schemes that clients can send credentials for. */
  readonly schemes: {
    readonly apiKey: { readonly type: 'http'; readonly scheme: 'bearer' };
  };
  /** The security requirements, by operation: the schemes that each requires. A request satisfies one of them. */
  readonly security: {
    readonly listBooks: readonly [readonly ['apiKey']];
    readonly createBook: readonly [readonly ['apiKey']];
    readonly getBook: readonly [readonly ['apiKey']];
  };
}

/** What clients need of the contract at run time. */
export declare const contract: Pick<Contract, 'version' | 'pathPrefix' | 'prefixes' | 'styles' | 'mediaTypes' | 'schemes'>;
