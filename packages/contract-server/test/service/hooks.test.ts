import { StartError } from '@contract-server/core/lib/errors.js';
import { closeLater } from '@contract-server/test-support/closing.js';
import { errorOf } from '@contract-server/test-support/error-of.js';
import { LogLines } from '@contract-server/test-support/log-lines.js';
import type { Contract } from '@contract-server/test-support/notes/generated/contract.js';
import {
  contract,
  findOwner,
  memoryNotes,
  notesHandlers,
  type Owner,
  signToken,
} from '@contract-server/test-support/notes/notes.js';
import { startService } from '@contract-server/testing';
import { expect } from 'chai';
import express from 'express';
import { pino } from 'pino';
import supertest from 'supertest';
import { ApiError, createRouter, createService, type Hooks, validatedOf } from '#src/index.js';

type NoteHooks = Hooks<Contract, { readonly token: Owner }>;

const bearer = { Authorization: `Bearer ${await signToken('ann')}` };
const security = { token: (credentials: string) => findOwner(credentials) };

function routerWith(hooks: NoteHooks, others: object = {}) {
  const handlers = { ...notesHandlers(memoryNotes()), ...others };
  return createRouter<Contract>()({ contract, security, handlers, logger: pino(new LogLines()), ...hooks });
}

async function appWith(hooks: NoteHooks, others?: object) {
  return supertest(express().use(await routerWith(hooks, others)));
}

describe('hooks', () => {
  it('run before and after the handler of their operation, and those of every operation around them', async () => {
    const calls: unknown[] = [];
    const app = await appWith({
      before: {
        '*': (_request, { operationId, callers }) => void calls.push(['*', operationId, callers.token?.id]),
        createNote: ({ body }, { caller }) => void calls.push(['before', body.isPublic, caller.email]),
      },
      after: {
        createNote: ({ body }, { status }, { operationId }) => void calls.push([operationId, body.text, status]),
        '*': (_request, { status }) => void calls.push(['after', status]),
      },
    });
    await app.post('/api/notes').set(bearer).send({ text: 'Milk' }).expect(201);
    expect(calls.splice(0)).to.deep.equal([
      ['*', 'createNote', 'ann'],
      ['before', false, 'ann@notes.example'],
      ['createNote', 'Milk', 201],
      ['after', 201],
    ]);
    await app.get('/api/notes').expect(200);
    expect(calls.splice(0)).to.deep.equal([
      ['*', 'listNotes', undefined],
      ['after', 200],
    ]);
    await app.post('/api/notes').send({ text: 'Milk' }).expect(401);
    await app.post('/api/notes').set(bearer).send({ text: '' }).expect(400);
    expect(calls).to.deep.equal([]);
  });

  it('can return a response in place of that of the handler, which is written as the contract declares', async () => {
    const note = { id: 7, owner: 'bob', text: 'Bread' };
    const secret = { ...note, password: 'secret' };
    const app = await appWith({
      before: { getNote: ({ path }) => (path.id === 7 ? { status: 200, body: secret } : undefined) },
      after: { listNotes: (_request, response) => ({ ...response, headers: { 'X-Request-Id': 'mine' } }) },
    });
    await app.get('/api/notes/7').set(bearer).expect(200, note);
    await app.get('/api/notes/8').set(bearer).expect(404);
    await app.get('/api/notes').expect(200, []).expect('X-Request-Id', 'mine');
  });

  it('can throw errors, which are responses as those of handlers are, and end the request', async () => {
    const calls: string[] = [];
    const app = await appWith({
      before: { listNotes: () => Promise.reject(new ApiError('invalid_cursor', 'No notes today.')) },
      after: { '*': () => void calls.push('after') },
    });
    await app.get('/api/notes').expect(400, { code: 'invalid_cursor', message: 'No notes today.', status: 400 });
    expect(calls).to.deep.equal([]);
  });

  it('run before a request is passed on to the application, but not after', async () => {
    const calls: string[] = [];
    const hooks: NoteHooks = {
      before: { createNote: ({ body }) => void calls.push(body.text) },
      after: { createNote: () => void calls.push('after') },
    };
    const validated = validatedOf<Contract>();
    const app = express().use(await routerWith(hooks, { createNote: 'next' }));
    app.post('/api/notes', (request, response) => void response.json(validated(request, 'createNote').body));
    await supertest(app)
      .post('/api/notes')
      .set(bearer)
      .send({ text: 'Milk' })
      .expect(200, { text: 'Milk', isPublic: false });
    expect(calls).to.deep.equal(['Milk']);
  });

  it('of a service are those that `create` returns', async () => {
    const calls: string[] = [];
    const service = createService<Contract>()({
      name: 'notes',
      contract,
      security,
      create: () => ({
        handlers: notesHandlers(memoryNotes()),
        before: { listNotes: ({ query }) => void calls.push(String(query.limit)) },
      }),
    });
    const { request, close } = await startService(service);
    closeLater(close);
    await request.get('/api/notes').expect(200);
    expect(calls).to.deep.equal(['20']);
  });

  it('of no operation, or that are no functions, prevent the start', async () => {
    const before = { listNote: () => undefined, getNote: 'log' } as object;
    const error = await errorOf(routerWith({ before }));
    expect(error).to.be.instanceOf(StartError);
    expect((error as Error).message.split('\n')).to.deep.equal([
      '`before` has `listNote`, which is no operation. Did you mean `listNotes`?',
      "The hook of getNote in `before` must be a function, not 'log'.",
    ]);
  });
});
