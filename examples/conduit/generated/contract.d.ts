// Generated from spec/conduit.yaml by `contract-server generate`. Not to be edited.
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
    readonly "/users": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Register a user
         * @description Creates an account, and returns its first token.
         */
        readonly post: operations["createUser"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/users/login": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Log in
         * @description Returns the account that has the email address and the password, with a token.
         */
        readonly post: operations["login"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/user": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Get the current user
         * @description Returns the account of the caller, with a new token.
         */
        readonly get: operations["getCurrentUser"];
        /**
         * Change the current user
         * @description Changes the fields that are sent, and returns the account with a new token.
         */
        readonly put: operations["updateCurrentUser"];
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/profiles/{username}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description The name of the user. */
                readonly username: components["parameters"]["username"];
            };
            readonly cookie?: never;
        };
        /**
         * Get a profile
         * @description Returns what others see of a user, and whether the caller follows them.
         */
        readonly get: operations["getProfile"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/profiles/{username}/follow": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description The name of the user. */
                readonly username: components["parameters"]["username"];
            };
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Follow a user
         * @description Adds the articles of a user to the feed of the caller.
         */
        readonly post: operations["followUser"];
        /**
         * Unfollow a user
         * @description Removes the articles of a user from the feed of the caller.
         */
        readonly delete: operations["unfollowUser"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/articles": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List articles
         * @description Returns a page of articles, the newest first. Several filters select the articles that match all of them.
         */
        readonly get: operations["listArticles"];
        readonly put?: never;
        /**
         * Publish an article
         * @description Publishes an article of the caller. Its slug is derived from the title, and is unique.
         */
        readonly post: operations["createArticle"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/articles/feed": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Get the feed
         * @description Returns a page of the articles of all users whom the caller follows, the newest first.
         */
        readonly get: operations["getFeed"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/articles/{slug}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description The slug of the article. */
                readonly slug: components["parameters"]["slug"];
            };
            readonly cookie?: never;
        };
        /**
         * Get an article
         * @description Returns an article with its text.
         */
        readonly get: operations["getArticle"];
        /**
         * Change an article
         * @description Changes the fields that are sent. A new title changes the slug.
         */
        readonly put: operations["updateArticle"];
        readonly post?: never;
        /**
         * Delete an article
         * @description Deletes an article of the caller, with its comments.
         */
        readonly delete: operations["deleteArticle"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/articles/{slug}/favorite": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description The slug of the article. */
                readonly slug: components["parameters"]["slug"];
            };
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Mark a favorite
         * @description Adds an article to the favorites of the caller.
         */
        readonly post: operations["favoriteArticle"];
        /**
         * Remove a favorite
         * @description Removes an article from the favorites of the caller.
         */
        readonly delete: operations["unfavoriteArticle"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/articles/{slug}/comments": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description The slug of the article. */
                readonly slug: components["parameters"]["slug"];
            };
            readonly cookie?: never;
        };
        /**
         * List comments
         * @description Returns the comments on an article, the newest first.
         */
        readonly get: operations["listComments"];
        readonly put?: never;
        /**
         * Comment on an article
         * @description Adds a comment of the caller.
         */
        readonly post: operations["createComment"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/articles/{slug}/comments/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description The slug of the article. */
                readonly slug: components["parameters"]["slug"];
                /** @description The id of the comment. */
                readonly id: number;
            };
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post?: never;
        /**
         * Delete a comment
         * @description Deletes a comment of the caller.
         */
        readonly delete: operations["deleteComment"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/tags": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List tags
         * @description Returns the tags of all articles, the most frequent first.
         */
        readonly get: operations["listTags"];
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
        /** @description At least one character that is not white space. */
        readonly Text: string;
        readonly NewUser: {
            /** @description At least one character that is not white space. */
            readonly username: components["schemas"]["Username"];
            /** @example ada@example.com */
            readonly email: components["schemas"]["Email"];
            /** @example correct horse */
            readonly password: components["schemas"]["NewPassword"];
        };
        readonly Login: {
            /** @description At least one character that is not white space. */
            readonly email: components["schemas"]["Text"];
            /** @description At least one character that is not white space. */
            readonly password: components["schemas"]["Text"];
        };
        /** @description Fields that are absent stay as they are. `null` and an empty text remove the biography or the image. */
        readonly UserChanges: {
            /** @description At least one character that is not white space. */
            readonly username?: components["schemas"]["Username"];
            /** @example ada@example.com */
            readonly email?: components["schemas"]["Email"];
            /** @example correct horse */
            readonly password?: components["schemas"]["NewPassword"];
            readonly bio?: string | null;
            readonly image?: string | null;
        };
        /** @example ada */
        readonly Username: components["schemas"]["Text"];
        /** @example ada@example.com */
        readonly Email: string & components["schemas"]["Text"];
        /** @example correct horse */
        readonly NewPassword: string & components["schemas"]["Text"];
        readonly User: {
            /** @example ada */
            readonly username: string;
            /** @example ada@example.com */
            readonly email: string;
            /** @description The JWT for further requests. */
            readonly token: string;
            /** @example I grow tomatoes. */
            readonly bio: string | null;
            /** @description The URL of a picture. */
            readonly image: string | null;
        };
        readonly Profile: {
            /** @example ada */
            readonly username: string;
            /** @example I grow tomatoes. */
            readonly bio: string | null;
            /** @description The URL of a picture. */
            readonly image: string | null;
            /** @description Whether the caller follows the user. */
            readonly following: boolean;
        };
        readonly NewArticle: {
            /** @description At least one character that is not white space. */
            readonly title: components["schemas"]["Title"];
            /** @description At least one character that is not white space. */
            readonly description: components["schemas"]["Text"];
            /** @description At least one character that is not white space. */
            readonly body: components["schemas"]["Text"];
            readonly tagList?: components["schemas"]["Tags"];
        };
        /** @description Fields that are absent stay as they are. */
        readonly ArticleChanges: {
            /** @description At least one character that is not white space. */
            readonly title?: components["schemas"]["Title"];
            /** @description At least one character that is not white space. */
            readonly description?: components["schemas"]["Text"];
            /** @description At least one character that is not white space. */
            readonly body?: components["schemas"]["Text"];
            readonly tagList?: components["schemas"]["Tags"];
        };
        /** @example How to grow tomatoes */
        readonly Title: components["schemas"]["Text"];
        readonly Tags: readonly components["schemas"]["Text"][];
        /** @description An article without its text. */
        readonly ArticleSummary: {
            /** @example how-to-grow-tomatoes */
            readonly slug: string;
            /** @example How to grow tomatoes */
            readonly title: string;
            /** @example From seed to salad. */
            readonly description: string;
            /** @description In alphabetical order. */
            readonly tagList: readonly string[];
            /** Format: date-time */
            readonly createdAt: string;
            /** Format: date-time */
            readonly updatedAt: string;
            /** @description Whether it is a favorite of the caller. */
            readonly favorited: boolean;
            /** @description The number of users whose favorite it is. */
            readonly favoritesCount: number;
            readonly author: components["schemas"]["Profile"];
        };
        readonly Article: components["schemas"]["ArticleSummary"] & {
            /** @description The text in Markdown. */
            readonly body: string;
        };
        readonly NewComment: {
            /** @description At least one character that is not white space. */
            readonly body: components["schemas"]["Text"];
        };
        readonly Comment: {
            readonly id: number;
            /** Format: date-time */
            readonly createdAt: string;
            /** Format: date-time */
            readonly updatedAt: string;
            /** @example Mine are green. */
            readonly body: string;
            readonly author: components["schemas"]["Profile"];
        };
        readonly Errors: {
            /** @description By field or thing, what is wrong with it. */
            readonly errors: {
                readonly [key: string]: readonly string[];
            };
        };
    };
    responses: {
        /** @description The account, with a token. */
        readonly User: {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": {
                    readonly user: components["schemas"]["User"];
                };
            };
        };
        /** @description The profile. */
        readonly Profile: {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": {
                    readonly profile: components["schemas"]["Profile"];
                };
            };
        };
        /** @description The article. */
        readonly Article: {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": {
                    readonly article: components["schemas"]["Article"];
                };
            };
        };
        /** @description The page, and the number of articles in all pages. */
        readonly Articles: {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": {
                    readonly articles: readonly components["schemas"]["ArticleSummary"][];
                    readonly articlesCount: number;
                };
            };
        };
        /** @description The token is missing or invalid, or the password is wrong. */
        readonly Unauthorized: {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "errors": {
                 *         "token": [
                 *           "is missing"
                 *         ]
                 *       }
                 *     }
                 */
                readonly "application/json": components["schemas"]["Errors"];
            };
        };
        /** @description The article or the comment belongs to another user. */
        readonly Forbidden: {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "errors": {
                 *         "article": [
                 *           "forbidden"
                 *         ]
                 *       }
                 *     }
                 */
                readonly "application/json": components["schemas"]["Errors"];
            };
        };
        /** @description The article, comment or user does not exist. */
        readonly NotFound: {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "errors": {
                 *         "article": [
                 *           "not found"
                 *         ]
                 *       }
                 *     }
                 */
                readonly "application/json": components["schemas"]["Errors"];
            };
        };
        /** @description Another user has the email address or the username. */
        readonly Conflict: {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "errors": {
                 *         "username": [
                 *           "has already been taken"
                 *         ]
                 *       }
                 *     }
                 */
                readonly "application/json": components["schemas"]["Errors"];
            };
        };
        /** @description Fields or parameters are invalid. */
        readonly Invalid: {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "errors": {
                 *         "title": [
                 *           "can't be blank"
                 *         ]
                 *       }
                 *     }
                 */
                readonly "application/json": components["schemas"]["Errors"];
            };
        };
        /** @description Any other error, named by its code. */
        readonly Error: {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "errors": {
                 *         "server_busy": [
                 *           "The server is overloaded. Retry after the time in Retry-After."
                 *         ]
                 *       }
                 *     }
                 */
                readonly "application/json": components["schemas"]["Errors"];
            };
        };
    };
    parameters: {
        /** @description The name of the user. */
        readonly username: string;
        /** @description The slug of the article. */
        readonly slug: string;
        /** @description The maximum number of articles in the page. */
        readonly limit: number;
        /** @description The number of articles before the page. */
        readonly offset: number;
    };
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    /**
     * Register a user
     * @description Creates an account, and returns its first token.
     */
    readonly createUser: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    readonly user: components["schemas"]["NewUser"];
                };
            };
        };
        readonly responses: {
            readonly 201: components["responses"]["User"];
            readonly 409: components["responses"]["Conflict"];
            readonly 422: components["responses"]["Invalid"];
            readonly default: components["responses"]["Error"];
        };
    };
    /**
     * Log in
     * @description Returns the account that has the email address and the password, with a token.
     */
    readonly login: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    readonly user: components["schemas"]["Login"];
                };
            };
        };
        readonly responses: {
            readonly 200: components["responses"]["User"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 422: components["responses"]["Invalid"];
            readonly default: components["responses"]["Error"];
        };
    };
    /**
     * Get the current user
     * @description Returns the account of the caller, with a new token.
     */
    readonly getCurrentUser: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            readonly 200: components["responses"]["User"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly default: components["responses"]["Error"];
        };
    };
    /**
     * Change the current user
     * @description Changes the fields that are sent, and returns the account with a new token.
     */
    readonly updateCurrentUser: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /** @description Fields that are absent stay as they are. `null` and an empty text remove the biography or the image. */
                    readonly user: components["schemas"]["UserChanges"];
                };
            };
        };
        readonly responses: {
            readonly 200: components["responses"]["User"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 409: components["responses"]["Conflict"];
            readonly 422: components["responses"]["Invalid"];
            readonly default: components["responses"]["Error"];
        };
    };
    /**
     * Get a profile
     * @description Returns what others see of a user, and whether the caller follows them.
     */
    readonly getProfile: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description The name of the user. */
                readonly username: components["parameters"]["username"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            readonly 200: components["responses"]["Profile"];
            readonly 404: components["responses"]["NotFound"];
            readonly default: components["responses"]["Error"];
        };
    };
    /**
     * Follow a user
     * @description Adds the articles of a user to the feed of the caller.
     */
    readonly followUser: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description The name of the user. */
                readonly username: components["parameters"]["username"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            readonly 200: components["responses"]["Profile"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 404: components["responses"]["NotFound"];
            readonly default: components["responses"]["Error"];
        };
    };
    /**
     * Unfollow a user
     * @description Removes the articles of a user from the feed of the caller.
     */
    readonly unfollowUser: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description The name of the user. */
                readonly username: components["parameters"]["username"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            readonly 200: components["responses"]["Profile"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 404: components["responses"]["NotFound"];
            readonly default: components["responses"]["Error"];
        };
    };
    /**
     * List articles
     * @description Returns a page of articles, the newest first. Several filters select the articles that match all of them.
     */
    readonly listArticles: {
        readonly parameters: {
            readonly query?: {
                /** @description Only articles with this tag. */
                readonly tag?: string;
                /** @description Only articles of the user with this username. */
                readonly author?: string;
                /** @description Only favorites of the user with this username. */
                readonly favorited?: string;
                /** @description The maximum number of articles in the page. */
                readonly limit?: components["parameters"]["limit"];
                /** @description The number of articles before the page. */
                readonly offset?: components["parameters"]["offset"];
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            readonly 200: components["responses"]["Articles"];
            readonly 422: components["responses"]["Invalid"];
            readonly default: components["responses"]["Error"];
        };
    };
    /**
     * Publish an article
     * @description Publishes an article of the caller. Its slug is derived from the title, and is unique.
     */
    readonly createArticle: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    readonly article: components["schemas"]["NewArticle"];
                };
            };
        };
        readonly responses: {
            readonly 201: components["responses"]["Article"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 422: components["responses"]["Invalid"];
            readonly default: components["responses"]["Error"];
        };
    };
    /**
     * Get the feed
     * @description Returns a page of the articles of all users whom the caller follows, the newest first.
     */
    readonly getFeed: {
        readonly parameters: {
            readonly query?: {
                /** @description The maximum number of articles in the page. */
                readonly limit?: components["parameters"]["limit"];
                /** @description The number of articles before the page. */
                readonly offset?: components["parameters"]["offset"];
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            readonly 200: components["responses"]["Articles"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 422: components["responses"]["Invalid"];
            readonly default: components["responses"]["Error"];
        };
    };
    /**
     * Get an article
     * @description Returns an article with its text.
     */
    readonly getArticle: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description The slug of the article. */
                readonly slug: components["parameters"]["slug"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            readonly 200: components["responses"]["Article"];
            readonly 404: components["responses"]["NotFound"];
            readonly default: components["responses"]["Error"];
        };
    };
    /**
     * Change an article
     * @description Changes the fields that are sent. A new title changes the slug.
     */
    readonly updateArticle: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description The slug of the article. */
                readonly slug: components["parameters"]["slug"];
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /** @description Fields that are absent stay as they are. */
                    readonly article: components["schemas"]["ArticleChanges"];
                };
            };
        };
        readonly responses: {
            readonly 200: components["responses"]["Article"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 422: components["responses"]["Invalid"];
            readonly default: components["responses"]["Error"];
        };
    };
    /**
     * Delete an article
     * @description Deletes an article of the caller, with its comments.
     */
    readonly deleteArticle: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description The slug of the article. */
                readonly slug: components["parameters"]["slug"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Deleted. */
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly default: components["responses"]["Error"];
        };
    };
    /**
     * Mark a favorite
     * @description Adds an article to the favorites of the caller.
     */
    readonly favoriteArticle: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description The slug of the article. */
                readonly slug: components["parameters"]["slug"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            readonly 200: components["responses"]["Article"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 404: components["responses"]["NotFound"];
            readonly default: components["responses"]["Error"];
        };
    };
    /**
     * Remove a favorite
     * @description Removes an article from the favorites of the caller.
     */
    readonly unfavoriteArticle: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description The slug of the article. */
                readonly slug: components["parameters"]["slug"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            readonly 200: components["responses"]["Article"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 404: components["responses"]["NotFound"];
            readonly default: components["responses"]["Error"];
        };
    };
    /**
     * List comments
     * @description Returns the comments on an article, the newest first.
     */
    readonly listComments: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description The slug of the article. */
                readonly slug: components["parameters"]["slug"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The comments. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly comments: readonly components["schemas"]["Comment"][];
                    };
                };
            };
            readonly 404: components["responses"]["NotFound"];
            readonly default: components["responses"]["Error"];
        };
    };
    /**
     * Comment on an article
     * @description Adds a comment of the caller.
     */
    readonly createComment: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description The slug of the article. */
                readonly slug: components["parameters"]["slug"];
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    readonly comment: components["schemas"]["NewComment"];
                };
            };
        };
        readonly responses: {
            /** @description The comment. */
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly comment: components["schemas"]["Comment"];
                    };
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 404: components["responses"]["NotFound"];
            readonly 422: components["responses"]["Invalid"];
            readonly default: components["responses"]["Error"];
        };
    };
    /**
     * Delete a comment
     * @description Deletes a comment of the caller.
     */
    readonly deleteComment: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description The slug of the article. */
                readonly slug: components["parameters"]["slug"];
                /** @description The id of the comment. */
                readonly id: number;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Deleted. */
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 422: components["responses"]["Invalid"];
            readonly default: components["responses"]["Error"];
        };
    };
    /**
     * List tags
     * @description Returns the tags of all articles, the most frequent first.
     */
    readonly listTags: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The tags. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly tags: readonly string[];
                    };
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
  readonly version: '1.0.0';
  /** The path prefix of every operation, from `servers`. */
  readonly pathPrefix: '/api';
  /** The names of the plans, from `x-rate-limit-plans`. */
  readonly planName: 'unlimited';
  /** The environments of API keys, from `x-key-prefixes`. */
  readonly environmentName: 'production';
  /** The status of each error code, from `x-error-codes`. */
  readonly errorStatuses: {
    /** A field or parameter violates the contract. Correct the fields that `errors` names. */
    readonly invalid_request: 422;
    /** The operation needs a token. Log in, and send the token as `Authorization Token …`. */
    readonly missing_credentials: 401;
    /** The token has expired, or is not one of this service. Log in again. */
    readonly invalid_credentials: 401;
    /** No user has this email address and this password. Correct them, or register. */
    readonly wrong_password: 401;
    /** The article belongs to another user. Change only articles of your own. */
    readonly article_forbidden: 403;
    /** The comment belongs to another user. Delete only comments of your own. */
    readonly comment_forbidden: 403;
    /** No article has the slug. List the articles for their current slugs; a new title changes the slug. */
    readonly article_not_found: 404;
    /** The article has no comment with the id. List the comments of the article. */
    readonly comment_not_found: 404;
    /** No user has the username. Check the username; users can change it. */
    readonly profile_not_found: 404;
    /** Another user has the email address. Log in, or choose another address. */
    readonly email_taken: 409;
    /** Another user has the username. Choose another username. */
    readonly username_taken: 409;
  };
  /** The parameters and fields with a default, by operation. */
  readonly defaults: {
    /** Register a user */
    readonly createUser: { readonly query: never; readonly header: never; readonly body: never };
    /** Log in */
    readonly login: { readonly query: never; readonly header: never; readonly body: never };
    /** Get the current user */
    readonly getCurrentUser: { readonly query: never; readonly header: never; readonly body: never };
    /** Change the current user */
    readonly updateCurrentUser: { readonly query: never; readonly header: never; readonly body: never };
    /** Get a profile */
    readonly getProfile: { readonly query: never; readonly header: never; readonly body: never };
    /** Follow a user */
    readonly followUser: { readonly query: never; readonly header: never; readonly body: never };
    /** Unfollow a user */
    readonly unfollowUser: { readonly query: never; readonly header: never; readonly body: never };
    /** List articles */
    readonly listArticles: { readonly query: 'limit' | 'offset'; readonly header: never; readonly body: never };
    /** Publish an article */
    readonly createArticle: { readonly query: never; readonly header: never; readonly body: never };
    /** Get the feed */
    readonly getFeed: { readonly query: 'limit' | 'offset'; readonly header: never; readonly body: never };
    /** Get an article */
    readonly getArticle: { readonly query: never; readonly header: never; readonly body: never };
    /** Change an article */
    readonly updateArticle: { readonly query: never; readonly header: never; readonly body: never };
    /** Delete an article */
    readonly deleteArticle: { readonly query: never; readonly header: never; readonly body: never };
    /** Mark a favorite */
    readonly favoriteArticle: { readonly query: never; readonly header: never; readonly body: never };
    /** Remove a favorite */
    readonly unfavoriteArticle: { readonly query: never; readonly header: never; readonly body: never };
    /** List comments */
    readonly listComments: { readonly query: never; readonly header: never; readonly body: never };
    /** Comment on an article */
    readonly createComment: { readonly query: never; readonly header: never; readonly body: never };
    /** Delete a comment */
    readonly deleteComment: { readonly query: never; readonly header: never; readonly body: never };
    /** List tags */
    readonly listTags: { readonly query: never; readonly header: never; readonly body: never };
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
  };
  /** The security requirements, by operation: the schemes that each requires. A request satisfies one of them. */
  readonly security: {
    readonly createUser: readonly [];
    readonly login: readonly [];
    readonly getCurrentUser: readonly [readonly ['token']];
    readonly updateCurrentUser: readonly [readonly ['token']];
    readonly getProfile: readonly [readonly ['token'], readonly []];
    readonly followUser: readonly [readonly ['token']];
    readonly unfollowUser: readonly [readonly ['token']];
    readonly listArticles: readonly [readonly ['token'], readonly []];
    readonly createArticle: readonly [readonly ['token']];
    readonly getFeed: readonly [readonly ['token']];
    readonly getArticle: readonly [readonly ['token'], readonly []];
    readonly updateArticle: readonly [readonly ['token']];
    readonly deleteArticle: readonly [readonly ['token']];
    readonly favoriteArticle: readonly [readonly ['token']];
    readonly unfavoriteArticle: readonly [readonly ['token']];
    readonly listComments: readonly [readonly ['token'], readonly []];
    readonly createComment: readonly [readonly ['token']];
    readonly deleteComment: readonly [readonly ['token']];
    readonly listTags: readonly [];
  };
}

/** What clients need of the contract at run time. */
export declare const contract: Pick<Contract, 'version' | 'pathPrefix' | 'prefixes' | 'styles' | 'mediaTypes' | 'schemes'>;
