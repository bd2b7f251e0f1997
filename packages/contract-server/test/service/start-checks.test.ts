import { StartError } from '@contract-server/core/lib/errors.js';
import { place } from '@contract-server/test-support/contract/contract-errors.js';
import { ping, withoutPrefix } from '@contract-server/test-support/contract/ping-contracts.js';
import { errorOf } from '@contract-server/test-support/error-of.js';
import { contract, findOwner, memoryNotes, notesHandlers } from '@contract-server/test-support/notes/notes.js';
import { directoryWith } from '@contract-server/test-support/servers/tool-process.js';
import { createRequest, startService } from '@contract-server/testing';
import { expect } from 'chai';
import express from 'express';
import supertest from 'supertest';
import { parse } from 'yaml';
import * as library from '#src/index.js';

/** As an application in JavaScript calls it. */
const createRouter = library.createRouter as (...args: unknown[]) => (options: object) => Promise<express.Router>;
const createService = library.createService as (...args: unknown[]) => (options: object) => never;

const options = { contract, security: { token: findOwner }, handlers: notesHandlers(memoryNotes()) };

async function requireProblems(start: Promise<unknown>, ...lines: readonly string[]): Promise<void> {
  const error = await errorOf(start);
  expect(error).to.be.instanceOf(StartError);
  expect((error as Error).message.split('\n')).to.deep.equal(lines);
}

describe('createRouter in JavaScript', () => {
  it('lists all missing handlers, and handlers that cannot be called', async () => {
    await requireProblems(
      createRouter()({ ...options, handlers: { listNote: ping, getNote: {} } }),
      'Operations without a handler: listNotes, createNote.',
      '`handlers` has `listNote`, which is no operation. Did you mean `listNotes`?',
      'The handler of getNote must be a function, not an object.',
    );
    const partial = { ...options, unhandled: 'next', handlers: { getNote: 'skip', listNotes: Promise.resolve() } };
    await requireProblems(
      createRouter()(partial),
      "The handler of getNote must be a function, not 'skip'.",
      'The handler of listNotes must be a function, not a promise.',
    );
  });

  it('requires no handler of an operation that declares no success', async () => {
    const { url } = place({ 'contract.yaml': withoutPrefix.replace('"200"', '"501"') });
    expect(await createRouter()({ contract: url, handlers: {} })).to.be.a('function');
  });

  it('names misspelled and missing options, and what they may be', async () => {
    await requireProblems(
      createRouter()({ contract, handler: {}, Security: {}, port: 80 }),
      'createRouter needs the option `handlers`.',
      'createRouter has no option `handler`. Did you mean `handlers`?',
      'createRouter has no option `Security`. Did you mean `security`?',
      'createRouter has no option `port`.',
    );
  });

  it('says that its options belong to a second call', () => {
    expect(() => createRouter(options)).to.throw(
      TypeError,
      'Pass the options of createRouter to a second call: createRouter()({ … }). The first call takes types.',
    );
    expect(() => createService({})).to.throw(TypeError, 'createService()({ … })');
  });
});

describe('createService in JavaScript', () => {
  it('names misspelled options and missing handlers at the start', async () => {
    const { url } = place({ 'contract.yaml': withoutPrefix });
    const service = { name: 'pings', contract: url, create: () => ({ handlers: {} }) };
    await requireProblems(
      startService(createService()({ ...service, store: {} })),
      'createService has no option `store`. Did you mean `stores`?',
    );
    await requireProblems(startService(createService()(service)), 'Operations without a handler: ping.');
    const passing = { ...service, create: () => ({ handlers: { ping: 'next' } }) };
    await requireProblems(
      startService(createService()(passing)),
      "The handler of ping must be a function, not 'next'.",
    );
  });
});

describe('a contract that is an object', () => {
  it('is served and tested', async () => {
    const document = parse(withoutPrefix) as { readonly openapi: string };
    const app = express().use(await createRouter()({ contract: document, handlers: { ping } }));
    const request = await createRequest({ contract: document, server: app });
    await request.get('/ping').expect(200, {});
    const wrong = express().use((_request, response) => void response.json([]));
    const strict = await createRequest({ contract: document, server: wrong });
    expect(String(await errorOf(strict.get('/ping')))).to.contain('which the contract does not allow');
  });

  it('refers to files from the working directory, and is checked as a file is', async () => {
    const folder = directoryWith({ 'paths.yaml': { '/ping': (parse(withoutPrefix) as { paths: object }).paths } });
    const directory = process.cwd();
    process.chdir(folder);
    try {
      const paths = { '/ping': { $ref: 'paths.yaml#/~1ping/~1ping' } };
      const head = { openapi: '3.0.4', info: { title: 'Ping', version: '1' } };
      const app = express().use(await createRouter()({ contract: { ...head, paths }, handlers: { ping } }));
      await supertest(app).get('/ping').expect(200, {});
      const missing = createRouter()({
        contract: { ...head, paths: { '/ping': { $ref: 'lost.yaml' } } },
        handlers: {},
      });
      expect(String(await errorOf(missing))).to.match(/^ContractError: #\/paths\/~1ping.* .*lost\.yaml/);
    } finally {
      process.chdir(directory);
    }
  });

  it('must not contain itself', async () => {
    const document: Record<string, unknown> = { openapi: '3.0.4' };
    document['paths'] = document;
    const error = await errorOf(createRouter()({ contract: document, handlers: {} }));
    expect(String(error)).to.equal(
      'ContractError: The contract is an object that JSON cannot contain, such as one that contains itself. Pass the ' +
        'document with its `$ref`.',
    );
  });
});
