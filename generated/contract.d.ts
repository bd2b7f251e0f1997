// Generated from spec/petstore.yaml by `contract-server generate`. Not to be edited.
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
    readonly "/pets": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List pets
         * @description Returns a page of pets in ascending order of `id`, optionally filtered by `status`. The `Link` header has the URL of the next page.
         */
        readonly get: operations["listPets"];
        readonly put?: never;
        /**
         * Create a pet
         * @description Creates a pet and returns it with its `id`. The response is sent after the pet has been written to disk. With an `Idempotency-Key`, the request can be retried safely.
         */
        readonly post: operations["createPet"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/pets/{petId}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Get a pet
         * @deprecated
         * @description Returns a pet by its `id`; no other operation does. Deprecated: use `GET /pets` with the `status` filter instead, and store the pets that you create or list. Will be removed on 5 December 2030; then returns 410.
         */
        readonly get: operations["getPet"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/store/orders": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List orders
         * @description Reserved for orders, which are not defined yet. The operation returns 501.
         */
        readonly get: operations["listOrders"];
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
        /**
         * @description Availability of a pet.
         * @example available
         * @enum {string}
         */
        readonly PetStatus: "available" | "pending" | "sold";
        /** @description A pet to create. Unknown fields are rejected. */
        readonly NewPet: {
            /**
             * @description The pet's name, 1 to 255 characters, at least one of them visible. Returned exactly as sent.
             * @example Rex
             */
            readonly name: string;
            /**
             * Format: int64
             * @description The id of the pet's category. Any 64-bit integer, never rounded.
             * @example 7
             */
            readonly categoryId: number | bigint;
            /**
             * @description Availability of the pet (default `available`).
             * @default available
             */
            readonly status?: string & components["schemas"]["PetStatus"];
        };
        /** @description A pet in the catalogue. `status` is always returned. Fields may be added in later versions. */
        readonly Pet: {
            /**
             * Format: int64
             * @description Unique id, assigned by the service in ascending order. At most 2^53 − 1.
             * @example 1
             */
            readonly id: number;
            /**
             * @description The pet's name.
             * @example Rex
             */
            readonly name: string;
            /**
             * Format: int64
             * @description The id of the pet's category.
             * @example 7
             */
            readonly categoryId: number | bigint;
            /**
             * @description Availability of a pet.
             * @example available
             * @enum {string}
             */
            readonly status?: components["schemas"]["PetStatus"];
        };
        /** @description A page of pets, in ascending order of `id`. */
        readonly Pets: readonly components["schemas"]["Pet"][];
        /** @description The body of every error response. */
        readonly Error: {
            /**
             * @description Machine-readable error code. `x-error-codes` lists all codes; codes may be added.
             * @example pet_not_found
             */
            readonly code: string;
            /**
             * @description Human-readable description of the error and what to do about it.
             * @example No pet has the id 42.
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
        /** @description The API key is missing or invalid. */
        readonly Unauthorized: {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                readonly Deprecation: components["headers"]["Deprecation"];
                readonly Sunset: components["headers"]["Sunset"];
                readonly Link: components["headers"]["DeprecationLinks"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The body exceeds a maximum of the operation: `x-max-body-bytes`, or `x-max-body-values`, in which objects and arrays count too. The connection is closed. */
        readonly BodyTooLarge: {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The `Content-Type` is not `application/json`, or the body is compressed. */
        readonly UnsupportedMediaType: {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly Accept: components["headers"]["Accept"];
                readonly "Accept-Encoding": components["headers"]["Accept-Encoding"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The rate limit is exceeded. Retry after `Retry-After` seconds. */
        readonly TooManyRequests: {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "Retry-After": components["headers"]["Retry-After"];
                readonly Deprecation: components["headers"]["Deprecation"];
                readonly Sunset: components["headers"]["Sunset"];
                readonly Link: components["headers"]["DeprecationLinks"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The server failed to process the request. */
        readonly InternalError: {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly Deprecation: components["headers"]["Deprecation"];
                readonly Sunset: components["headers"]["Sunset"];
                readonly Link: components["headers"]["DeprecationLinks"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The storage is unavailable, or the server is overloaded. Retry after `Retry-After` seconds. */
        readonly ServiceUnavailable: {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "Retry-After": components["headers"]["Retry-After"];
                readonly Deprecation: components["headers"]["Deprecation"];
                readonly Sunset: components["headers"]["Sunset"];
                readonly Link: components["headers"]["DeprecationLinks"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Any other error. Its status and code are in `x-error-codes`. */
        readonly Default: {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly Allow: components["headers"]["Allow"];
                /**
                 * @description Sent with 429 and 503.
                 * @example 1
                 */
                readonly "Retry-After"?: number;
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Error"];
            };
        };
    };
    parameters: {
        /**
         * @description Maximum number of pets to return (1 to 100, default 20).
         * @example 20
         */
        readonly Limit: number;
        /**
         * @description Filters by status.
         * @example available
         */
        readonly Status: components["schemas"]["PetStatus"];
        /** @description Opaque cursor from the `next` link of the previous page; valid only with the same `status` filter. */
        readonly Cursor: string;
        /**
         * @description Makes retries safe (draft-ietf-httpapi-idempotency-key-header-07). Use a new key for each pet, for example a UUID, and repeat it with exactly the same body in a retry. 1 to 255 visible ASCII characters; `abc` and `"abc"` are the same key.
         * @example 8e03978e-40d5-43e8-bc93-6894a57f9324
         */
        readonly IdempotencyKey: string;
        /**
         * @description The `id` of the pet. Any 64-bit integer.
         * @example 1
         */
        readonly PetId: number | bigint;
    };
    requestBodies: never;
    headers: {
        /**
         * @description URL of the next page: `<…>; rel="next"` (RFC 8288). Absent on the last page.
         * @example <https://api.petstore.example/v1/pets?limit=2&cursor=Mi4udjdwYnVw>; rel="next"
         */
        readonly NextPageLink: string;
        /**
         * @description URL of the pet. Absent once getPet is removed.
         * @example https://api.petstore.example/v1/pets/1
         */
        readonly Location: string;
        /**
         * @description Sent if an earlier request with the same `Idempotency-Key` has created the pet.
         * @example true
         */
        readonly "Idempotent-Replayed": "true";
        /**
         * @description When the operation was deprecated, in Unix seconds (RFC 9745). Sent by deprecated operations.
         * @example @1795478400
         */
        readonly Deprecation: string;
        /**
         * @description When the operation will be removed (RFC 8594). Sent by deprecated operations.
         * @example Thu, 05 Dec 2030 00:00:00 GMT
         */
        readonly Sunset: string;
        /**
         * @description The operation to use instead (`successor-version`), and the document that describes the deprecation (`deprecation`). Sent by deprecated operations.
         * @example <https://api.petstore.example/v1/pets>; rel="successor-version", <https://api.petstore.example/openapi.yaml>; rel="deprecation"; type="application/yaml"
         */
        readonly DeprecationLinks: string;
        /**
         * @description The authentication scheme (RFC 6750), with `error="invalid_token"` if the request had an API key.
         * @example Bearer realm="petstore"
         */
        readonly "WWW-Authenticate": string;
        /**
         * @description The methods that the path supports. Sent with 405, and by OPTIONS.
         * @example GET, HEAD, OPTIONS
         */
        readonly Allow: string;
        /**
         * @description The supported media type.
         * @example application/json
         */
        readonly Accept: string;
        /**
         * @description Sent if the body was compressed. The only supported content coding is `identity`.
         * @example identity
         */
        readonly "Accept-Encoding": string;
        /**
         * @description Identifies the request in the operator's log: the `X-Request-Id` of the request if it has 1 to 128 letters, digits or characters of `-._~:/+=@`, otherwise a new one. Include it in problem reports.
         * @example order-4711
         */
        readonly "X-Request-Id": string;
        /**
         * @description Request limit of the window with the fewest requests remaining. The limits of a custom plan have at most 15 digits, like every integer in a structured field (RFC 9651).
         * @example 60
         */
        readonly "X-RateLimit-Limit": number;
        /**
         * @description Requests remaining in that window.
         * @example 59
         */
        readonly "X-RateLimit-Remaining": number;
        /**
         * @description Unix time in seconds at which that window resets.
         * @example 1795176060
         */
        readonly "X-RateLimit-Reset": number;
        /**
         * @description Limits of all windows: `q` requests in `w` seconds (draft-ietf-httpapi-ratelimit-headers-10).
         * @example "minute";q=60;w=60, "day";q=1000;w=86400
         */
        readonly "RateLimit-Policy": string;
        /**
         * @description State of all windows: `r` requests remaining, reset in `t` seconds (see RateLimit-Policy).
         * @example "minute";r=59;t=60, "day";r=999;t=86400
         */
        readonly RateLimit: string;
        /**
         * @description Seconds to wait before retrying.
         * @example 1
         */
        readonly "Retry-After": number;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    /**
     * List pets
     * @description Returns a page of pets in ascending order of `id`, optionally filtered by `status`. The `Link` header has the URL of the next page.
     */
    readonly listPets: {
        readonly parameters: {
            readonly query?: {
                /**
                 * @description Maximum number of pets to return (1 to 100, default 20).
                 * @example 20
                 */
                readonly limit?: components["parameters"]["Limit"];
                /**
                 * @description Filters by status.
                 * @example available
                 */
                readonly status?: components["parameters"]["Status"];
                /** @description Opaque cursor from the `next` link of the previous page; valid only with the same `status` filter. */
                readonly cursor?: components["parameters"]["Cursor"];
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description A page of pets. The array is empty if no pet matches. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly Link: components["headers"]["NextPageLink"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Pets"];
                };
            };
            /** @description A query parameter is unknown, repeated or invalid, or there are too many of them. */
            readonly 400: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 500: components["responses"]["InternalError"];
            readonly 503: components["responses"]["ServiceUnavailable"];
            readonly default: components["responses"]["Default"];
        };
    };
    /**
     * Create a pet
     * @description Creates a pet and returns it with its `id`. The response is sent after the pet has been written to disk. With an `Idempotency-Key`, the request can be retried safely.
     */
    readonly createPet: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description Makes retries safe (draft-ietf-httpapi-idempotency-key-header-07). Use a new key for each pet, for example a UUID, and repeat it with exactly the same body in a retry. 1 to 255 visible ASCII characters; `abc` and `"abc"` are the same key.
                 * @example 8e03978e-40d5-43e8-bc93-6894a57f9324
                 */
                readonly "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        /** @description The pet to create, in at most 64 KiB of JSON. The service assigns its `id`. */
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["NewPet"];
            };
        };
        readonly responses: {
            /** @description The pet was created. */
            readonly 201: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly Location: components["headers"]["Location"];
                    readonly "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Pet"];
                };
            };
            /** @description The body, a field or the `Idempotency-Key` is invalid, or the request has query parameters. */
            readonly 400: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            /** @description Another request with this `Idempotency-Key` is in progress. Retry after `Retry-After` seconds. */
            readonly 409: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            readonly 413: components["responses"]["BodyTooLarge"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            /** @description The `Idempotency-Key` was already used with a different body. */
            readonly 422: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 500: components["responses"]["InternalError"];
            readonly 503: components["responses"]["ServiceUnavailable"];
            readonly default: components["responses"]["Default"];
        };
    };
    /**
     * Get a pet
     * @deprecated
     * @description Returns a pet by its `id`; no other operation does. Deprecated: use `GET /pets` with the `status` filter instead, and store the pets that you create or list. Will be removed on 5 December 2030; then returns 410.
     */
    readonly getPet: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The `id` of the pet. Any 64-bit integer.
                 * @example 1
                 */
                readonly petId: components["parameters"]["PetId"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The pet. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly Deprecation: components["headers"]["Deprecation"];
                    readonly Sunset: components["headers"]["Sunset"];
                    readonly Link: components["headers"]["DeprecationLinks"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Pet"];
                };
            };
            /** @description The `petId` is not a 64-bit integer, or the request has query parameters. */
            readonly 400: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly Deprecation: components["headers"]["Deprecation"];
                    readonly Sunset: components["headers"]["Sunset"];
                    readonly Link: components["headers"]["DeprecationLinks"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            /** @description No pet has this `id`. */
            readonly 404: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly Deprecation: components["headers"]["Deprecation"];
                    readonly Sunset: components["headers"]["Sunset"];
                    readonly Link: components["headers"]["DeprecationLinks"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The operation is removed. Returned from 5 December 2030 on. */
            readonly 410: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly Deprecation: components["headers"]["Deprecation"];
                    readonly Sunset: components["headers"]["Sunset"];
                    readonly Link: components["headers"]["DeprecationLinks"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 500: components["responses"]["InternalError"];
            readonly 503: components["responses"]["ServiceUnavailable"];
            readonly default: components["responses"]["Default"];
        };
    };
    /**
     * List orders
     * @description Reserved for orders, which are not defined yet. The operation returns 501.
     */
    readonly listOrders: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The request has query parameters; this operation has none. */
            readonly 400: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 500: components["responses"]["InternalError"];
            /** @description The operation is not implemented. */
            readonly 501: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            readonly 503: components["responses"]["ServiceUnavailable"];
            readonly default: components["responses"]["Default"];
        };
    };
}

/** The types of the contract. */
export interface Contract {
  readonly operations: operations;
  readonly schemas: components['schemas'];
  readonly paths: paths;
  /** The version of the contract, from `info.version`. */
  readonly version: '1.0.0';
  /** The path prefix of every operation, from `servers`. */
  readonly pathPrefix: '/v1';
  /** The names of the plans, from `x-rate-limit-plans`. */
  readonly planName: 'free' | 'pro' | 'business' | 'enterprise';
  /** The environments of API keys, from `x-key-prefixes`. */
  readonly environmentName: 'production' | 'staging';
  /** The status of each error code, from `x-error-codes`. */
  readonly errorStatuses: {
    /** The request is not valid HTTP/1.1, or it is ambiguous, for example without `Host` or with two lengths. Use an HTTP library instead of a raw socket. The connection is closed. */
    readonly malformed_http: 400;
    /** The path or the query has a percent sign without two hexadecimal digits, or bytes that are not UTF-8. Percent-encode reserved characters. A literal percent sign is `%25`. */
    readonly malformed_url: 400;
    /** The body is not UTF-8 or not JSON, repeats a field name, is nested too deeply, or has a number beyond the range of a double. The message describes the first error, with its position in JSON. Create the body with a JSON library. */
    readonly malformed_json: 400;
    /** A parameter or field is missing, unknown, repeated or invalid, or the query has over 100 parameters. The message names each invalid parameter or field and the values it allows. */
    readonly invalid_request: 400;
    /** The cursor was not issued by this service, or was issued for a different `status` filter. Request the first page without a cursor, and follow the `next` links unchanged. */
    readonly invalid_cursor: 400;
    /** The request has no `Authorization` header with the Bearer scheme. Send `Authorization: Bearer <API_KEY>`. */
    readonly missing_api_key: 401;
    /** The API key is incomplete, unknown, expired or revoked, or belongs to the other environment. Check that the key is complete and belongs to this environment, or request a new one from the operator. */
    readonly invalid_api_key: 401;
    /** No route matches the path. Compare the path with the API reference. Paths begin with `/v1` and have no trailing slash. */
    readonly route_not_found: 404;
    /** No pet has this `id`. List the pets to find existing ids. */
    readonly pet_not_found: 404;
    /** The path exists, but does not support this method. Use one of the methods in the `Allow` header. */
    readonly method_not_allowed: 405;
    /** The request was not received completely in time. Send the request again, without pauses. */
    readonly request_timeout: 408;
    /** Another request with the same `Idempotency-Key` is in progress. Retry after `Retry-After` seconds. If the other request succeeded, the retry returns the same pet. */
    readonly idempotency_key_in_flight: 409;
    /** The operation was deprecated, and its announced removal date has passed. Use the operation that the `successor-version` link points to. */
    readonly operation_removed: 410;
    /** The body exceeds `x-max-body-bytes` or `x-max-body-values` of the operation. Send one pet per request. For bulk imports, contact the operator. */
    readonly body_too_large: 413;
    /** The request target (path and query) is longer than 8,000 bytes. Send fewer or shorter query parameters. */
    readonly uri_too_long: 414;
    /** The `Content-Type` is not `application/json`, its charset is not UTF-8, or the body is compressed. Send `Content-Type: application/json`, without `Content-Encoding`. */
    readonly unsupported_media_type: 415;
    /** The `Expect` header has a value other than `100-continue`. Remove the header, or send `Expect: 100-continue`. */
    readonly expectation_failed: 417;
    /** The `Idempotency-Key` was already used with a body that differs in at least one byte. Repeat the original body exactly, or use a new `Idempotency-Key` for each pet. */
    readonly idempotency_key_reused: 422;
    /** The quota of the current minute is used up, for the API key or, without a valid key, for the client address. Retry after `Retry-After` seconds, and spread your requests. */
    readonly rate_limit_exceeded: 429;
    /** The quota of the current day is used up. The day starts with its first request. Retry after `Retry-After` seconds, or request a larger plan from the operator. */
    readonly daily_quota_exceeded: 429;
    /** The client ignored 429 responses, and sent many more requests than the limit within a minute. Stop sending requests until `Retry-After` seconds have passed, and implement back-off. */
    readonly api_key_banned: 429;
    /** The headers exceed 100 lines or 16,384 bytes, or the request target is too long to be read. Send fewer or shorter headers and query parameters. */
    readonly headers_too_large: 431;
    /** The service has a defect. Retry later. If the error persists, report the `X-Request-Id` of the response to the operator. */
    readonly internal_error: 500;
    /** The operation is reserved, or the request uses CONNECT or a transfer coding other than `chunked`. Do not call the operation yet, or remove the unsupported feature. */
    readonly not_implemented: 501;
    /** The storage of the service is unavailable. Retry after `Retry-After` seconds. */
    readonly store_unavailable: 503;
    /** The server is overloaded. It already processes its maximum number of requests. Retry after `Retry-After` seconds, and back off if it happens again. */
    readonly server_busy: 503;
    /** The readiness check (`/readyz`) failed: the server is stopping, or its storage is unavailable. Send requests to another server until the check returns 200. */
    readonly not_ready: 503;
  };
  /** The parameters and fields with a default, by operation. */
  readonly defaults: {
    /** List pets */
    readonly listPets: { readonly query: 'limit'; readonly header: never; readonly body: never };
    /** Create a pet */
    readonly createPet: { readonly query: never; readonly header: never; readonly body: 'status' };
    /** Get a pet */
    readonly getPet: { readonly query: never; readonly header: never; readonly body: never };
    /** List orders */
    readonly listOrders: { readonly query: never; readonly header: never; readonly body: never };
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
    readonly listPets: readonly [readonly ['apiKey']];
    readonly createPet: readonly [readonly ['apiKey']];
    readonly getPet: readonly [readonly ['apiKey']];
    readonly listOrders: readonly [readonly ['apiKey']];
  };
}

/** What clients need of the contract at run time. */
export declare const contract: Pick<Contract, 'version' | 'pathPrefix' | 'prefixes' | 'styles' | 'mediaTypes' | 'schemes'>;
