// Generated from test/second-contract/contract.yaml by `npm run generate`. Not to be edited.
export interface paths {
    readonly "/books": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Search books
         * @description Returns books by genre, language and availability. It needs no API key.
         */
        readonly get: operations["searchBooks"];
        readonly put?: never;
        /**
         * Add a book
         * @description Adds a book.
         */
        readonly post: operations["addBook"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/books/{isbn}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description The ISBN of the book. */
                readonly isbn: components["parameters"]["Isbn"];
            };
            readonly cookie?: never;
        };
        /**
         * Get a book
         * @description Returns a book.
         */
        readonly get: operations["getBook"];
        /**
         * Replace a book
         * @description Replaces all fields of a book.
         */
        readonly put: operations["replaceBook"];
        readonly post?: never;
        /**
         * Remove a book
         * @description Removes a book.
         */
        readonly delete: operations["removeBook"];
        readonly options?: never;
        readonly head?: never;
        /**
         * Change a book
         * @description Changes the fields that are sent.
         */
        readonly patch: operations["changeBook"];
        readonly trace?: never;
    };
    readonly "/rooms/{floor}/{wing}/loans/{loanId}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Get a loan
         * @description Returns a loan. Its path has parameters of three types, and an API key is optional.
         */
        readonly get: operations["getLoan"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/catalogue-cards/{isbn}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description The ISBN of the book. */
                readonly isbn: components["parameters"]["Isbn"];
            };
            readonly cookie?: never;
        };
        /**
         * Get a catalogue card
         * @deprecated
         * @description Removed. Get the book instead.
         */
        readonly get: operations["getCatalogueCard"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/inventory": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Take the inventory
         * @description Reserved.
         */
        readonly get: operations["takeInventory"];
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
        readonly Isbn: string;
        /** @enum {string} */
        readonly Genre: "fiction" | "history" | "science";
        readonly BookFields: {
            readonly title: string;
            /** @enum {string} */
            readonly genre: components["schemas"]["Genre"];
            /** @default 1900 */
            readonly year?: number;
            /** Format: int64 */
            readonly shelf?: number | bigint | null;
        };
        readonly Book: {
            readonly isbn: components["schemas"]["Isbn"];
            readonly title: string;
            /** @enum {string} */
            readonly genre: components["schemas"]["Genre"];
            /** @default 1900 */
            readonly year?: number;
            /** Format: int64 */
            readonly shelf?: number | bigint | null;
        };
        readonly BookChanges: {
            readonly title?: string;
            /** @enum {string} */
            readonly genre?: components["schemas"]["Genre"];
            readonly year?: number;
            /** Format: int64 */
            readonly shelf?: number | bigint | null;
        };
        readonly Error: {
            readonly code: string;
            readonly message: string;
            readonly status: number;
        };
    };
    responses: {
        /** @description The book. */
        readonly Book: {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Book"];
            };
        };
        /** @description A value is not allowed. */
        readonly BadRequest: {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The API key is missing or invalid. */
        readonly Unauthorized: {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Error"];
            };
        };
        /** @description There is no such book. */
        readonly NotFound: {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Error"];
            };
        };
        /** @description There is a book with this ISBN. */
        readonly Conflict: {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The rate limit is exceeded. */
        readonly TooManyRequests: {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Error"];
            };
        };
    };
    parameters: {
        /** @description The ISBN of the book. */
        readonly Isbn: components["schemas"]["Isbn"];
    };
    requestBodies: never;
    headers: {
        /** @description The id of the request. */
        readonly "X-Request-Id": string;
        /**
         * @description The URL of the book.
         * @example https://library.example/api/v2/books/9780262510875
         */
        readonly Location: string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    /**
     * Search books
     * @description Returns books by genre, language and availability. It needs no API key.
     */
    readonly searchBooks: {
        readonly parameters: {
            readonly query?: {
                /** @description Books of one of these genres. */
                readonly genre?: readonly components["schemas"]["Genre"][];
                /** @description Books published in one of these years. */
                readonly publishedIn?: readonly number[];
                /** @description The order of the books. */
                readonly order?: "isbn" | "title";
                /** @description Whether the book can be borrowed. */
                readonly available?: boolean;
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
            readonly 400: components["responses"]["BadRequest"];
            readonly 429: components["responses"]["TooManyRequests"];
        };
    };
    /**
     * Add a book
     * @description Adds a book.
     */
    readonly addBook: {
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
                    readonly Location: components["headers"]["Location"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Book"];
                };
            };
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 409: components["responses"]["Conflict"];
        };
    };
    /**
     * Get a book
     * @description Returns a book.
     */
    readonly getBook: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description The ISBN of the book. */
                readonly isbn: components["parameters"]["Isbn"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            readonly 200: components["responses"]["Book"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 404: components["responses"]["NotFound"];
        };
    };
    /**
     * Replace a book
     * @description Replaces all fields of a book.
     */
    readonly replaceBook: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description The ISBN of the book. */
                readonly isbn: components["parameters"]["Isbn"];
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["BookFields"];
            };
        };
        readonly responses: {
            readonly 200: components["responses"]["Book"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 404: components["responses"]["NotFound"];
        };
    };
    /**
     * Remove a book
     * @description Removes a book.
     */
    readonly removeBook: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description The ISBN of the book. */
                readonly isbn: components["parameters"]["Isbn"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The book is removed. */
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 404: components["responses"]["NotFound"];
        };
    };
    /**
     * Change a book
     * @description Changes the fields that are sent.
     */
    readonly changeBook: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description The ISBN of the book. */
                readonly isbn: components["parameters"]["Isbn"];
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["BookChanges"];
            };
        };
        readonly responses: {
            readonly 200: components["responses"]["Book"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 404: components["responses"]["NotFound"];
        };
    };
    /**
     * Get a loan
     * @description Returns a loan. Its path has parameters of three types, and an API key is optional.
     */
    readonly getLoan: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description Returned as sent. */
                readonly "X-Trace"?: number;
            };
            readonly path: {
                /** @description The floor. */
                readonly floor: number;
                /** @description The wing. */
                readonly wing: "north" | "south";
                /** @description The loan. */
                readonly loanId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The loan. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly floor: number;
                        readonly wing: string;
                        readonly loanId: string;
                        readonly trace?: number;
                    };
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
        };
    };
    /**
     * Get a catalogue card
     * @deprecated
     * @description Removed. Get the book instead.
     */
    readonly getCatalogueCard: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description The ISBN of the book. */
                readonly isbn: components["parameters"]["Isbn"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            readonly 200: components["responses"]["Book"];
            readonly 401: components["responses"]["Unauthorized"];
            /** @description The operation was removed. */
            readonly 410: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    /**
     * Take the inventory
     * @description Reserved.
     */
    readonly takeInventory: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            readonly 401: components["responses"]["Unauthorized"];
            /** @description Not implemented. */
            readonly 501: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
}
