import { fileURLToPath } from 'node:url';
import { startService, type TestedService } from '@contract-server/testing';
import type { Schema } from '#src/contract.js';
import { specifiedErrors } from '#src/errors.js';
import { service } from '#src/service.js';
import type { Stores } from '#src/stores.js';
import { hashPassword } from '#src/users/password.js';
import { parseTokenKey, signToken } from '#src/users/tokens.js';

/** Where the coverage gate collects what tests have seen. */
export const coverageDirectory = fileURLToPath(new URL('../../seen-responses/', import.meta.url));

export const secret = 'a secret of the tests, with 32 characters';
export const tokenKey = parseTokenKey(secret);
export const startedAt = '2030-01-01T00:00:00.000Z';

/** The password of the users that `createUser` creates. It is hashed once, because that takes long on purpose. */
export const password = 'correct horse';
let passwordHash: Promise<string> | undefined;

/** Sends requests as one user, or as nobody, below the path prefix. Each response is checked against the contract. */
export class Client {
  constructor(
    private readonly request: TestedService<Stores>['request'],
    readonly username: string,
    readonly token?: string,
  ) {}

  get(path: string) {
    return this.request.get(`/api${path}`).set(this.headers);
  }

  post(path: string, body?: object) {
    return this.request.post(`/api${path}`).set(this.headers).send(body);
  }

  put(path: string, body: object) {
    return this.request.put(`/api${path}`).set(this.headers).send(body);
  }

  delete(path: string) {
    return this.request.delete(`/api${path}`).set(this.headers);
  }

  /** Publishes an article. Resolves with it. */
  async publish(article: object = {}): Promise<Schema<'Article'>> {
    return (await bodyOf(this.post('/articles', { article: { ...anArticle, ...article } }).expect(201))).article;
  }

  private get headers(): Record<string, string> {
    return this.token === undefined ? {} : { Authorization: `Token ${this.token}` };
  }
}

/** What the bodies of responses have. */
export interface Bodies {
  readonly user: Schema<'User'>;
  readonly profile: Schema<'Profile'>;
  readonly article: Schema<'Article'>;
  readonly articles: readonly Schema<'ArticleSummary'>[];
  readonly articlesCount: number;
  readonly comment: Schema<'Comment'>;
  readonly comments: readonly Schema<'Comment'>[];
  readonly errors: Schema<'Errors'>['errors'];
}

/** The body of a response, which was checked against the contract. */
export async function bodyOf(response: PromiseLike<{ readonly body: unknown }>): Promise<Bodies> {
  return (await response).body as Bodies;
}

export const anArticle = { title: 'Tomatoes', description: 'From seed to salad.', body: 'Sow in March.' };

/** Conduit with an empty database, which each test has for itself. */
export class TestedConduit {
  private started: TestedService<Stores> | undefined;

  get service(): TestedService<Stores> {
    if (this.started === undefined) throw new Error('Conduit has not started yet.');
    return this.started;
  }

  get anonymous(): Client {
    return this.clientOf('');
  }

  /** Creates a user without a request. */
  async createUser(username: string): Promise<Client> {
    const { stores, clock } = this.service;
    passwordHash ??= hashPassword(password);
    const email = `${username}@example.com`;
    const { id } = await stores.users.insert({ username, email, passwordHash: await passwordHash });
    return this.clientOf(username, await signToken(id, tokenKey, clock.now));
  }

  clientOf(username: string, token?: string): Client {
    return new Client(this.service.request, username, token);
  }

  async start(): Promise<void> {
    const clock = { now: Date.parse(startedAt) };
    this.started = await startService(service, { settings: { JWT_SECRET: secret }, clock, codeOf, coverageDirectory });
  }

  async close(): Promise<void> {
    await this.started?.close();
  }
}

/** Starts Conduit before each test of a suite, and closes it after the test. */
export function useConduit(): TestedConduit {
  const conduit = new TestedConduit();
  beforeEach(() => conduit.start());
  afterEach(() => conduit.close());
  return conduit;
}

/** The error code of a body, which has a name and a text instead: the gate demands that tests see every code. */
function codeOf(body: unknown): string {
  const [[name, [text]] = ['', []]] = Object.entries((body as Bodies).errors);
  const specified = Object.entries(specifiedErrors).find(([, error]) => error[0] === name && error[1] === text);
  // Errors that RealWorld does not specify are named after their code.
  return specified?.[0] ?? (/^[a-z]+(_[a-z]+)+$/.test(name) ? name : 'invalid_request');
}
