import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { closeLater } from '@contract-server/test-support/closing.js';
import { place } from '@contract-server/test-support/contract/contract-errors.js';
import type { Contract } from '@contract-server/test-support/notes/generated/contract.js';
import {
  contract,
  findOwner,
  type NoteStore,
  notesHandlers,
  secret,
  signToken,
} from '@contract-server/test-support/notes/notes.js';
import { temporaryDirectory } from '@contract-server/test-support/temporary-directory.js';
import { startService, type TestedService } from '@contract-server/testing/start-service.js';
import { expect } from 'chai';
import { runServer } from '#src/cli/commands/serve.js';
import type { CommandContext } from '#src/cli/context.js';
import type { CommandDefinition } from '#src/cli/invocation.js';
import { runProgram } from '#src/cli/program.js';
import { BetterSqlite3 } from '#src/database/sqlite/better-sqlite3.js';
import { createService } from '#src/index.js';
import { sqlite } from '#src/sqlite.js';

const migrations = place({
  'sqlite/0001-notes.sql':
    'CREATE TABLE notes (id INTEGER PRIMARY KEY, owner TEXT NOT NULL, text TEXT NOT NULL, isPublic INTEGER NOT NULL) STRICT;',
}).url;

type Row = Awaited<ReturnType<NoteStore['list']>>[number];

/** JWT and SQLite, and no other part. */
const service = createService<Contract>()({
  name: 'notes',
  contract,
  settings: {
    jwtSecret: {
      name: 'JWT_SECRET',
      required: true,
      secret: true,
      description: 'Signs the tokens.',
      parse: (text) => {
        if (text.length < 32) throw new Error(`must have 32 characters, unlike ${text}`);
        return text;
      },
    },
  },
  stores: {
    migrations: new URL('..', migrations),
    sqlite: sqlite(
      (db): NoteStore => ({
        add: (owner, text, isPublic) =>
          db.transaction(() => {
            const insert = db.prepare('INSERT INTO notes (owner, text, isPublic) VALUES (?, ?, ?)');
            const { lastInsertRowid } = insert.run(owner, text, Number(isPublic));
            return { id: Number(lastInsertRowid), owner, text, isPublic };
          }),
        find: (id) => db.run(() => db.prepare<[number | bigint], Row>('SELECT * FROM notes WHERE id = ?').get(id)),
        list: () => db.run(() => db.prepare<[], Row>('SELECT * FROM notes').all()),
      }),
    ),
  },
  security: { token: (token, { settings }) => findOwner(token, settings.jwtSecret) },
  create: ({ stores }) => ({ handlers: notesHandlers(stores) }),
});

const key = 'another secret, with at least 32 characters';
/** What belongs to parts that the service does not have. */
const traces =
  /api.?key|plan|redis|postgres|quota|rate.?limit|metric|prometheus|\/docs|openapi\.(yaml|json)|ban(s|ned)\b/i;

describe('a service with JWT and SQLite, and no other part', () => {
  const directory = temporaryDirectory();
  let started: TestedService<NoteStore>;
  before(async () => {
    started = await startService(service, { settings: { JWT_SECRET: key, DATA_DIR: directory } });
    closeLater(() => started.close());
  });

  it('identifies callers by its own handler, with the settings and the stores of the service', async () => {
    const { request } = started;
    const authorization = `Bearer ${await signToken('ann', key)}`;
    const note = { id: 1, owner: 'ann', text: 'Milk' };
    const created = await request.post('/api/notes').set('Authorization', authorization).send({ text: 'Milk' });
    expect([created.status, created.body]).to.deep.equal([201, note]);
    await request.get('/api/notes').set('Authorization', authorization).expect(200, [note]);
    await request.get('/api/notes').expect(200, []);
    const forged = `Bearer ${await signToken('ann', secret)}`;
    const response = await request.post('/api/notes').set('Authorization', forged).send({ text: 'x' }).expect(401);
    expect(response.body).to.include({ code: 'invalid_credentials' });
  });

  it('has no table, header, route or log line of another part', async () => {
    const db = new BetterSqlite3(join(directory, 'notes.db'), { readonly: true });
    const tables = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all();
    db.close();
    expect(tables).to.have.members(['applied_migrations', 'notes']);
    const origin = new URL(started.baseUrl).origin;
    const found = await fetch(`${started.baseUrl}/notes/1`, {
      headers: { Authorization: `Bearer ${await signToken('ann', key)}` },
    });
    expect(found.headers.get('sunset')).to.equal('Tue, 01 Jan 2030 00:00:00 GMT');
    expect(found.headers.get('link')).to.equal(`<${started.baseUrl}/notes>; rel="successor-version"`);
    for (const path of ['/docs', '/openapi.yaml', '/openapi.json', '/', '/metrics']) {
      const response = await fetch(origin + path);
      const message = `No route matches GET ${path}.`;
      expect(await response.json()).to.deep.equal({ code: 'route_not_found', message, status: 404 });
      expect([...response.headers.keys()].join()).not.to.match(/ratelimit/);
    }
    await fetch(`${origin}/readyz`).then(({ status }) => expect(status).to.equal(200));
    const lines = started.log.lines.map(({ path: _path, ...line }) => JSON.stringify(line));
    expect(lines.join('\n').match(traces)?.[0]).to.equal(undefined);
  });

  /** Runs the command line. */
  const run = async (...args: string[]) => {
    const output = { stdout: '', stderr: '' };
    const write = (name: keyof typeof output) => ({
      write: (text: string, done?: () => void) => {
        output[name] += text;
        done?.();
        return true;
      },
    });
    const env = { JWT_SECRET: key, DATA_DIR: directory };
    const signals = { once: () => undefined };
    const context = { env, stdout: write('stdout'), stderr: write('stderr'), clock: Date.now, signals };
    const definition = service.definition as unknown as CommandDefinition;
    const exitCode = await runProgram(definition, args, context as unknown as CommandContext);
    return { exitCode, text: output.stdout + output.stderr };
  };

  it('has no command, setting or sentence of another part', async () => {
    const { exitCode, text } = await run('--help');
    expect(exitCode).to.equal(0);
    expect(text).to.contain('JWT_SECRET').and.to.contain('DATA_DIR').and.to.contain('backup');
    expect(text.match(traces)?.[0]).to.equal(undefined);
    for (const command of ['serve', 'mock', 'migrate', 'backup']) {
      const help = await run(command, '--help');
      expect(help.text.match(traces)?.[0], command).to.equal(undefined);
    }
    expect((await run('keys', 'list')).text).to.contain("unknown command 'keys'");
    expect((await run('migrate')).text).not.to.match(traces);
    expect((await run('backup', join(directory, 'copy.db'))).text).to.match(/^Backed up the database to .*copy\.db: /);
    expect(readdirSync(directory)).to.include('copy.db');
  });

  it('names a missing setting of the application, and prints no value of a secret one', async () => {
    const output: string[] = [];
    const stream = { write: (text: string) => output.push(text) };
    const signals = { once: () => undefined, exit: () => undefined };
    const context = { env: { DATA_DIR: directory }, stdout: stream, stderr: stream, clock: Date.now, signals };
    for (const env of [{}, { JWT_SECRET: 'too short' }]) {
      const withEnv = { ...context, env: { ...context.env, ...env } } as unknown as CommandContext;
      expect(await runServer(service.definition, withEnv)).to.equal(2);
    }
    expect(output).to.deep.equal([
      'error: JWT_SECRET is missing; signs the tokens\n',
      'error: JWT_SECRET=… is invalid; it must have 32 characters, unlike …\n',
    ]);
    expect(readFileSync(join(directory, 'notes.db')).includes(key)).to.equal(false);
  });
});
