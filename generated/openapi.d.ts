// Generated from spec/petstore.yaml by `npm run generate`. Not to be edited.
export interface paths {
    readonly "/pets": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List animals
         * @description Answers a page of the catalogue in ascending order of `id`. `status` narrows it to the animals in one state, `limit` sets how many a page holds, and the `Link` header leads to the next page.
         */
        readonly get: operations["listPets"];
        readonly put?: never;
        /**
         * Add an animal
         * @description Adds an animal and answers it with the `id` that it was given. The answer comes after the animal is safely on disk. With an `Idempotency-Key` the request can be sent again until it is answered, and still adds one animal.
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
         * Get an animal
         * @deprecated
         * @description Answers one animal. Deprecated: use `GET /pets` with the `status` filter instead. It will be removed on 5 December 2030; from that day on the answer is 410.
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
         * @description Reserved. The shape of orders has not been settled, so the operation exists, asks for a key, and answers 501.
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
         * @description The availability of an animal.
         * @example available
         * @enum {string}
         */
        readonly PetStatus: "available" | "pending" | "sold";
        /** @description An animal to be added to the catalogue. */
        readonly NewPet: {
            /**
             * @description The animal's name. It comes back exactly as it was sent.
             * @example Rex
             */
            readonly name: string;
            /**
             * Format: int64
             * @description The identifier of the category that the animal belongs to. Any 64-bit integer; exact.
             * @example 7
             */
            readonly categoryId: number | bigint;
            /**
             * @description The state of the animal when it is added.
             * @default available
             */
            readonly status?: components["schemas"]["PetStatus"];
        };
        /** @description An animal of the catalogue. Fields may be added to it. */
        readonly Pet: {
            /**
             * Format: int64
             * @description The unique identifier, assigned by the service, ascending in the order of creation. At most 2^53 − 1.
             * @example 1
             */
            readonly id: number;
            /**
             * @description The animal's name.
             * @example Rex
             */
            readonly name: string;
            /**
             * Format: int64
             * @description The identifier of the category that the animal belongs to.
             * @example 7
             */
            readonly categoryId: number | bigint;
            readonly status?: components["schemas"]["PetStatus"];
        };
        /** @description A page of animals, in ascending order of `id`. */
        readonly Pets: readonly components["schemas"]["Pet"][];
        /** @description What every error looks like. */
        readonly Error: {
            /**
             * @description What went wrong, for programs. `x-error-codes` lists the values; more may be added.
             * @example pet_not_found
             */
            readonly code: string;
            /**
             * @description What went wrong and what to do, for people.
             * @example There is no animal with the id 42.
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
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The body has more bytes than `x-max-body-bytes` allows. It is answered without waiting for the rest, and the connection is closed. */
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
        /** @description The body is not labelled as plain JSON. */
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
        /** @description The rate limit is exceeded. Retry after the given time. */
        readonly TooManyRequests: {
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
        /** @description The server failed. It is not your request. */
        readonly InternalError: {
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
        /** @description The catalogue or the keys cannot be reached for the moment, or the server has too much to do. Retry after the given time. */
        readonly ServiceUnavailable: {
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
    };
    parameters: {
        /**
         * @description The greatest number of animals in the answer.
         * @example 20
         */
        readonly Limit: number;
        /**
         * @description Only animals in this state.
         * @example available
         */
        readonly Status: components["schemas"]["PetStatus"];
        /** @description Where the page begins: the value that a `next` link carries. It is opaque, and bound to the `status` filter that it was issued for. */
        readonly Cursor: string;
        /**
         * @description Makes the request safe to send again (draft-ietf-httpapi-idempotency-key-header-07). Choose a key for each animal that nobody else will, such as a UUID, and send exactly the same body with it. `abc` and `"abc"` are the same key.
         * @example 8e03978e-40d5-43e8-bc93-6894a57f9324
         */
        readonly IdempotencyKey: string;
        /**
         * @description The identifier of the animal.
         * @example 1
         */
        readonly PetId: number | bigint;
    };
    requestBodies: never;
    headers: {
        /**
         * @description The address of the next page: `<…>; rel="next"` (RFC 8288). Absent on the last page.
         * @example <https://api.petstore.example/v1/pets?limit=2&cursor=Mi4udjdwYnVw>; rel="next"
         */
        readonly NextPageLink: string;
        /**
         * @description The address of the animal. Absent once getPet is removed.
         * @example https://api.petstore.example/v1/pets/1
         */
        readonly Location: string;
        /**
         * @description Says that this is the answer to an earlier request with the same `Idempotency-Key`. Absent on a first answer.
         * @example true
         */
        readonly "Idempotent-Replayed": "true";
        /**
         * @description When the operation became deprecated, in Unix seconds (RFC 9745).
         * @example @1795132800
         */
        readonly Deprecation: string;
        /**
         * @description When the operation is removed (RFC 8594).
         * @example Thu, 05 Dec 2030 00:00:00 GMT
         */
        readonly Sunset: string;
        /**
         * @description What to use instead (`successor-version`), and where the deprecation is described (`deprecation`).
         * @example <https://api.petstore.example/v1/pets>; rel="successor-version", <https://api.petstore.example/openapi.yaml>; rel="deprecation"; type="application/yaml"
         */
        readonly DeprecationLinks: string;
        /**
         * @description How to authenticate (RFC 6750). `error="invalid_token"` says that a key was sent and refused.
         * @example Bearer realm="petstore"
         */
        readonly "WWW-Authenticate": string;
        /**
         * @description The media type that the body must have.
         * @example application/json
         */
        readonly Accept: string;
        /**
         * @description The encodings that the body may have; sent when it was compressed.
         * @example identity
         */
        readonly "Accept-Encoding": string;
        /**
         * @description Names this exchange in the operator's log: the `X-Request-Id` of the request if it has 1 to 128 letters, digits or characters of `-._~:/+=@`, else a new one. Quote it when you report trouble.
         * @example order-4711
         */
        readonly "X-Request-Id": string;
        /**
         * @description The request limit in force, that of the window with the fewest requests left.
         * @example 60
         */
        readonly "X-RateLimit-Limit": number;
        /**
         * @description Requests remaining in that window.
         * @example 59
         */
        readonly "X-RateLimit-Remaining": number;
        /**
         * @description Unix timestamp, in seconds, at which that window ends and the limit resets.
         * @example 1795176060
         */
        readonly "X-RateLimit-Reset": number;
        /**
         * @description The limits of all windows, `q` requests in `w` seconds (draft-ietf-httpapi-ratelimit-headers-10).
         * @example "minute";q=60;w=60, "day";q=1000;w=86400
         */
        readonly "RateLimit-Policy": string;
        /**
         * @description What remains of all windows, `r` requests for `t` seconds (draft-ietf-httpapi-ratelimit-headers-10).
         * @example "minute";r=59;t=60, "day";r=999;t=86400
         */
        readonly RateLimit: string;
        /**
         * @description After how many seconds to try again.
         * @example 1
         */
        readonly "Retry-After": number;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    readonly listPets: {
        readonly parameters: {
            readonly query?: {
                /**
                 * @description The greatest number of animals in the answer.
                 * @example 20
                 */
                readonly limit?: components["parameters"]["Limit"];
                /**
                 * @description Only animals in this state.
                 * @example available
                 */
                readonly status?: components["parameters"]["Status"];
                /** @description Where the page begins: the value that a `next` link carries. It is opaque, and bound to the `status` filter that it was issued for. */
                readonly cursor?: components["parameters"]["Cursor"];
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One page of animals; an empty array when there are none. */
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
            /** @description A query parameter is unknown, repeated, cannot be decoded, or has a value that is not allowed; or there are too many. */
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
        };
    };
    readonly createPet: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description Makes the request safe to send again (draft-ietf-httpapi-idempotency-key-header-07). Choose a key for each animal that nobody else will, such as a UUID, and send exactly the same body with it. `abc` and `"abc"` are the same key.
                 * @example 8e03978e-40d5-43e8-bc93-6894a57f9324
                 */
                readonly "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        /** @description The animal to add. The service assigns its `id`. */
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["NewPet"];
            };
        };
        readonly responses: {
            /** @description The animal, as it now stands in the catalogue. */
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
            /** @description The body is not JSON, lacks a required field, or has one that is unknown or not allowed; the `Idempotency-Key` is not allowed; or a query parameter was sent. */
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
            /** @description A request with this `Idempotency-Key` is still being answered. Retry after the given time. */
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
            /** @description The `Idempotency-Key` was sent before with another body. */
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
        };
    };
    readonly getPet: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The identifier of the animal.
                 * @example 1
                 */
                readonly petId: components["parameters"]["PetId"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The animal. */
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
            /** @description The identifier is not a 64-bit integer or cannot be decoded, or a query parameter was sent. */
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
            /** @description The API key is missing or invalid. */
            readonly 401: {
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
            /** @description There is no animal with this identifier. */
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
            /** @description The operation was removed on 5 December 2030. */
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
            /** @description The rate limit is exceeded. Retry after the given time. */
            readonly 429: {
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
            /** @description The server failed. It is not your request. */
            readonly 500: {
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
            /** @description The catalogue or the keys cannot be reached for the moment, or the server has too much to do. Retry after the given time. */
            readonly 503: {
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
        };
    };
    readonly listOrders: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description A query parameter was sent, and there are none, or the query cannot be decoded. */
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
            /** @description Orders are not implemented. */
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
        };
    };
}
