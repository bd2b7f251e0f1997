import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { seed, seedPassword } from '#src/seed.js';
import { bodyOf, secret, useConduit } from './support/conduit.js';

describe('conduit seed', () => {
  const conduit = useConduit();

  it('writes users who can log in, with articles, tags, favorites, comments and feeds', async () => {
    const [email] = await seed(conduit.service.stores);
    const user = { email, password: seedPassword };
    const login = await bodyOf(conduit.anonymous.post('/users/login', { user }).expect(200));
    const reader = conduit.clientOf(login.user.username, login.user.token);
    expect((await bodyOf(reader.get('/articles/feed').expect(200))).articlesCount).to.equal(3);
    const found = await bodyOf(conduit.anonymous.get('/articles?tag=food&author=ada').expect(200));
    expect([found.articlesCount, found.articles[0]?.favoritesCount]).to.deep.equal([2, 1]);
    const { comments } = await bodyOf(conduit.anonymous.get('/articles/bread-by-ada/comments').expect(200));
    expect(comments).to.have.length(1);
  });
});

describe('the commands of Conduit', () => {
  let directory = '';
  beforeEach(() => (directory = mkdtempSync(join(tmpdir(), 'conduit-'))));
  afterEach(() => rmSync(directory, { recursive: true }));

  const run = (script: string, args: readonly string[], settings: Readonly<Record<string, string>>) => {
    const file = fileURLToPath(new URL(`../../dist/${script}.js`, import.meta.url));
    const env = { PATH: process.env['PATH'], DATA_DIR: directory, PORT: '0', ...settings };
    return spawnSync(process.execPath, [file, ...args], { env, encoding: 'utf8' });
  };

  it('seed an empty database once', () => {
    const first = run('conduit', ['seed'], { JWT_SECRET: secret });
    expect(first).to.include({ status: 0, stderr: '' });
    expect(first.stdout).to.match(/^Log in as jake@example\.com, .* with the password password\.\n$/);
    const second = run('conduit', ['seed'], { JWT_SECRET: secret });
    expect(second).to.include({ status: 1, stderr: 'error: email has already been taken\n' });
  });

  it('name the setting that a start needs', () => {
    const missing = run('main', [], {});
    expect(missing.status).to.equal(2);
    expect(missing.stderr).to.match(/^error: JWT_SECRET is missing; secret that signs the tokens/);
    const short = run('main', [], { JWT_SECRET: 'short' });
    expect(short).to.include({
      status: 2,
      stderr: 'error: JWT_SECRET=… is invalid; it must have at least 32 characters\n',
    });
  });
});
