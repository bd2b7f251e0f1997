import { inspect } from 'node:util';
import { StartError } from '@contract-server/core/lib/errors.js';
import { integer, type OptionRules, oneOf, required, text } from '@contract-server/core/lib/option-rules.js';
import { place } from '@contract-server/test-support/contract/contract-errors.js';
import { ping, withoutPrefix } from '@contract-server/test-support/contract/ping-contracts.js';
import { errorOf } from '@contract-server/test-support/error-of.js';
import { startService } from '@contract-server/testing';
import { expect } from 'chai';
import express from 'express';
import * as library from '#src/index.js';
import { metrics } from '#src/metrics.js';
import { postgres } from '#src/postgres.js';
import { redisQuotas } from '#src/redis.js';
import { apiReference } from '#src/reference.js';
import { sqlite } from '#src/sqlite.js';

const { url: contract } = place({ 'contract.yaml': withoutPrefix });
const handlers = { ping };

/** As applications in JavaScript call them. */
const createRouter = library.createRouter as () => (options: unknown) => Promise<unknown>;
const createService = library.createService as () => (options: unknown) => Parameters<typeof startService>[0];
const listen = library.listen as (app: unknown, options: unknown) => Promise<library.ListeningServer>;

const calls = {
  createRouter: (options: object) => createRouter()({ contract, handlers, ...options }),
  createService: async (options: object) => {
    const service = createService()({ name: 'pings', contract, create: () => ({ handlers }), ...options });
    await (await startService(service)).close();
  },
  create: (application: unknown) => calls.createService({ create: () => application }),
  listen: async (options: object) => {
    const { server } = await listen(express(), { port: 0, host: '127.0.0.1', ...options });
    server.close();
  },
  sqlite: (options: object) => call(sqlite, (options as { createStores: unknown }).createStores),
  postgres: (options: object) => call(postgres, undefined, (options as { options: unknown }).options),
};

// eslint-disable-next-line @typescript-eslint/require-await -- what it throws becomes a rejection.
async function call(create: (...args: never[]) => unknown, ...args: readonly unknown[]): Promise<void> {
  create(...(args as never[]));
}

/** An option, and a sentence for each problem. */
type Case = readonly [options: unknown, ...sentences: readonly string[]];

const [list, promise, map] = [[], Promise.resolve(), new Map()];
const kinds = new Map<unknown, string>([
  [list, 'an array'],
  [promise, 'a promise'],
  [map, 'a Map'],
  ...[ping, sqlite, postgres, redisQuotas, metrics, apiReference].map((each) => [each, 'a function'] as const),
]);
const stopped = () => {
  throw new Error('It has stopped.');
};
const noBoolean = [null, 'off', 'false', 0, list, ping];
const noFunction = [null, 'on', true, list, promise, map];
const noObject = [null, 'on', true, list, promise, map, ping];
const noUrl = [null, 'contract.yaml', 1, list, map];

/** A case for each of these values of an option. */
function refuse(path: string, kind: string, values: readonly unknown[]): Case[] {
  return values.map((value) => [
    optionAt(path, value),
    `\`${path}\` must be ${kind}, not ${kinds.get(value) ?? inspect(value)}.`,
  ]);
}

/** The same, of an option whose values no message repeats. */
function refuseSecret(path: string, kind: string, values: readonly unknown[]): Case[] {
  return values.map((value) => [optionAt(path, value), `\`${path}\` must be ${kind}.`]);
}

function optionAt(path: string, value: unknown): unknown {
  return path.split('.').reduceRight((member, name) => ({ [name]: member }), value);
}

const limit = 'an integer from 1 to 999999999999999';
const noLimit = [Number.NaN, Infinity, 1.5, -1, 0, 1e15, 2 ** 53, '60', 60n, true, null, list];
const baseUrl = 'an http or https URL without white space, a user, a query and a fragment';

const errors = [
  ...refuse('errors', 'a plain object', noObject),
  ...refuse('errors.body', 'a function', noFunction),
  ...refuse('errors.map', 'a function', noFunction),
  ...refuse('errors.status', 'a plain object', noObject),
  ...refuse('errors.status.invalid_request', 'an integer from 400 to 599', ['422', 422.5, Number.NaN, 399, 600, null]),
  ...refuse('errors.mediaType', "a media type such as 'application/problem+json'", [
    ...['application/json\r\nX-A: b', 'application/json\n', 'json', 'a/b/c', 'a/*', 'a/b; c', 'a/b, c/d', 'a/b; c="'],
    ...['', null, 1],
  ]),
];

/** Of routers and services. */
const behaviour = [
  ...errors,
  ...['lenient', 'validateResponses', 'rejectInvalidCredentials', 'caseSensitive', 'gzipBodies'].flatMap((name) =>
    refuse(name, 'true or false', noBoolean),
  ),
  ...refuse('limits', 'a plain object', noObject),
  ...refuse('limits.bodyBytes', limit, noLimit),
  ...refuse('limits.bodyValues', limit, noLimit),
  ...refuse('unknownQueryParameters', "'reject' or 'ignore'", ['Ignore', true, null]),
  ...refuse('rateLimitHeaders', "'both' or 'x-ratelimit' or 'draft'", ['none', '', null]),
  ...refuse('trailingSlashes', "'strict' or 'ignore'", ['lenient', false, null]),
  ...refuse('prefix', "'' or a path such as '/v2'", [
    ...['v1', '/', '/v1/', '//v1', '/..', '/a/../b', '/.', '/%2E%2e', '/%zz', '/a b', '/a\n', '/a\0', '/a\\b', '/{a}'],
    ...['/a?b', '/a#b', 'https://a.example/v1', null, 1, '/a|b', '/<a>', '/[a]', '/a"', '/^', '/`'],
  ]),
  ...refuse('overlay', 'a path or a file URL', ['', null, 1, list, ping]),
];

const cases: Readonly<Record<keyof typeof calls, readonly Case[]>> = {
  createRouter: [
    ...behaviour,
    ...refuse('contract', 'a path, a file URL or an OpenAPI document', [null, '', 1, list, promise, ping]),
    ...refuseSecret('security', 'a plain object', noObject),
    ...refuseSecret('security.token', 'a function', noFunction),
    ...refuse('handlers', 'a plain object', noObject),
    ...refuse('before', 'a plain object', noObject),
    ...refuse('after', 'a plain object', noObject),
    ...refuse('unhandled', "'next'", ['Next', true, null, ping]),
    ...refuse('logger', 'a logger such as that of pino', noObject),
    ...refuse('clock', 'a function that returns the time in milliseconds', [null, 1, list]),
    [{ clock: () => '1' }, "`clock` must return the time in milliseconds, not '1'."],
    [{ clock: stopped }, '`clock` must return the time in milliseconds, but it throws: Error: It has stopped.'],
    [{ handlers: new URL('https://a.example') }, '`handlers` must be a plain object, not a URL.'],
    [{ handlers: new Error('a') }, '`handlers` must be a plain object, not an Error.'],
    [{ logger: console }, '`logger` must be a logger such as that of pino, not a console.'],
    ...refuseSecret('publicBaseUrl', baseUrl, [
      ...[
        'javascript:alert(1)',
        '/v1',
        'https://user:password@a.example',
        'https://a.example/?a',
        'https://a.example/#a',
      ],
      ...['', null, new URL('https://a.example'), ' http://a', 'http://a ', 'http://a/\tb', '\0http://a'],
    ]),
    [{ limits: { bodybytes: 1 } }, 'createRouter has no option `limits.bodybytes`. Did you mean `limits.bodyBytes`?'],
    [{ errors: { Body: ping } }, 'createRouter has no option `errors.Body`. Did you mean `errors.body`?'],
    [
      { prefix: '/..', limits: { bodyBytes: 0, max: 1 }, Lenient: true },
      "`prefix` must be '' or a path such as '/v2', not '/..'.",
      `\`limits.bodyBytes\` must be ${limit}, not 0.`,
      'createRouter has no option `limits.max`.',
      'createRouter has no option `Lenient`. Did you mean `lenient`?',
    ],
  ],
  createService: [
    ...behaviour,
    ...refuse('name', 'lower-case letters, digits and hyphens, the first one a letter', [
      ...['', 'Pings', '../pings', 'a b', '1a', 'a\n', null, 1],
    ]),
    ...refuse('contract', 'a file URL', noUrl),
    ...refuse('checkedContract', 'a file URL', noUrl),
    ...refuse('settings', 'a plain object', noObject),
    ...refuse('stores', 'a plain object', noObject),
    ...refuse('stores.migrations', 'a file URL', noUrl),
    ...refuse('stores.localTables', 'an array', [null, 'a', true, promise, map, ping]),
    ...refuse('stores.records', 'a plain object', noObject),
    ...refuse('stores.sqlite', 'made with sqlite()', [...noObject, sqlite]),
    ...refuse('stores.postgres', 'made with postgres()', [...noObject, postgres]),
    ...refuseSecret('security', 'a plain object', noObject),
    ...refuseSecret('security.token', 'a function or apiKeys()', noFunction),
    ...refuse('quotas', 'made with redisQuotas()', [...noObject, redisQuotas]),
    ...refuse('metrics', 'made with metrics()', [...noObject, metrics]),
    ...refuse('reference', 'made with apiReference()', [...noObject, apiReference]),
    ...refuse('create', 'a function', noFunction),
    ...refuse('commands', 'a function', noFunction),
    [{ Metrics: true }, 'createService has no option `Metrics`. Did you mean `metrics`?'],
    [
      { stores: { records: { table: 'a', One: 'b', many: 1 } } },
      'createService needs the option `stores.records.one`.',
      '`stores.records.many` must be a string, not 1.',
      'createService has no option `stores.records.One`. Did you mean `stores.records.one`?',
    ],
    [
      { settings: { key: { name: 'A=B', secert: true, default: 1, required: 'yes' } } },
      "`settings.key.name` must be the name of an environment variable, not 'A=B'.",
      '`settings.key.default` must be a string.',
      "`settings.key.required` must be true or false, not 'yes'.",
      'createService needs the option `settings.key.description`.',
      'createService has no option `settings.key.secert`. Did you mean `settings.key.secret`?',
    ],
  ],
  create: [
    [undefined, '`create()` must be a plain object, not undefined.'],
    [promise, '`create()` must be a plain object, not a promise.'],
    [
      { handler: {}, check: true, maintain: null, routes: ping, middleware: [ping, '/a'], before: [] },
      'createService needs the option `create().handlers`.',
      '`create().check` must be a function, not true.',
      '`create().maintain` must be a function, not null.',
      "`create().middleware[1]` must be a function, not '/a'.",
      '`create().routes` must be an array, not a function.',
      '`create().before` must be a plain object, not an array.',
      'createService has no option `create().handler`. Did you mean `create().handlers`?',
    ],
  ],
  listen: [
    ...errors,
    ...refuse('port', 'an integer from 0 to 65535', ['8080', 70_000, -1, 1.5, Number.NaN, null]),
    ...refuse('host', 'a host name or an IP address', ['', ' ', 'a b', 'a\n', null, 1]),
    ...refuse('logger', 'a logger such as that of pino', noObject),
    ...refuse('drainTimeoutSeconds', 'an integer from 0 to 3600', [Number.NaN, Infinity, 0.5, -1, 3601, '6', null]),
    [{ hostname: 'a' }, 'listen has no option `hostname`.'],
    [{ drainTimeoutSecs: 1 }, 'listen has no option `drainTimeoutSecs`. Did you mean `drainTimeoutSeconds`?'],
  ],
  sqlite: refuse('createStores', 'a function', noFunction),
  postgres: [
    ...refuse('options', 'a plain object', noObject),
    [{ options: { startsql: '' } }, 'postgres has no option `options.startsql`. Did you mean `options.startSql`?'],
    ...refuse('options.startSql', 'a string', [null, 1, true, list, ping]),
  ],
};

describe('the options of an application in JavaScript', () => {
  for (const [name, refused] of Object.entries(cases) as [keyof typeof calls, readonly Case[]][])
    it(`of ${name} are checked at the start, with a sentence for each problem`, async () => {
      for (const [options, ...sentences] of refused) {
        const error = await errorOf(calls[name](options as object));
        expect(error, inspect(options)).to.be.instanceOf(StartError);
        expect((error as Error).message.split('\n')).to.deep.equal(sentences);
      }
    });

  it('must be an object', async () => {
    for (const [options, shown] of [
      [undefined, 'undefined'],
      [null, 'null'],
      [promise, 'a promise'],
    ] as const)
      for (const [owner, started] of [
        ['createRouter', createRouter()(options)],
        ['createService', startService(createService()(options))],
        ['listen', listen(express(), options)],
      ] as const) {
        const message = `The options of ${owner} must be a plain object, not ${shown}.`;
        expect(await errorOf(started))
          .to.be.instanceOf(StartError)
          .with.property('message', message);
      }
  });

  it('can be all that the types allow', async () => {
    const types = ['application/problem+json', 'A/b', 'a/b;c=d', 'a/b ; c="d\\" e"; f=g'];
    for (const mediaType of types) await calls.createRouter({ errors: { mediaType } });
    for (const prefix of ['', '/v2', '/a/b.c', '/%C3%BC', '/ü', '/...', '/a;b=c', "/:@!$&'()*+,~"])
      await calls.createRouter({ prefix });
    for (const publicBaseUrl of ['https://a.example', 'http://127.0.0.1:80/a/'])
      await calls.createRouter({ publicBaseUrl });
    const { url } = place({ 'handlers.mjs': 'export const ping = async () => ({ status: 200, body: {} });' });
    await calls.createRouter({ handlers: (await import(url.href)) as object });
    await calls.listen({ drainTimeoutSeconds: 0, host: undefined });
  });

  it('need a rule each, which accepts every value of its type', () => {
    interface Options {
      readonly count: number;
      readonly word?: 'a' | 'b';
    }
    const count = integer(1, 2);
    // @ts-expect-error -- a rule is missing.
    const incomplete: OptionRules<Options> = { count: required(count) };
    // @ts-expect-error -- `count` is required.
    const optional: OptionRules<Options> = { count, word: oneOf('a', 'b') };
    // @ts-expect-error -- `b` would be refused.
    const narrow: OptionRules<Options> = { count: required(count), word: oneOf('a') };
    // @ts-expect-error -- numbers would be refused.
    const other: OptionRules<Options> = { count: required(text), word: oneOf('a', 'b') };
    expect([incomplete, optional, narrow, other]).to.have.length(4);
  });
});
