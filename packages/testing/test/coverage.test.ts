import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { place } from '@contract-server/test-support/contract/contract-errors.js';
import { errorOf } from '@contract-server/test-support/error-of.js';
import { temporaryDirectory } from '@contract-server/test-support/temporary-directory.js';
import { expect } from 'chai';
import { finishCoverage, startCoverage } from '#dist/coverage-gate.js';
import { createResponseCheck } from '#dist/create-response-check.js';
import { recordSeen } from '#dist/seen-responses.js';

const contractText = `
openapi: 3.0.4
info: { title: Pets, version: 1.0.0 }
x-error-codes: { pet_not_found: { status: 404 } }
paths:
  /pets/{petId}:
    parameters: [{ name: petId, in: path, required: true, schema: { type: integer } }]
    get:
      operationId: getPet
      responses:
        "200": { description: The pet, headers: { X-Count: { schema: { type: integer } } } }
        default: { $ref: "#/components/responses/Error" }
    delete:
      operationId: deletePet
      responses:
        "204": { description: Deleted }
        default: { $ref: "#/components/responses/Error" }
components:
  responses:
    Error:
      description: Error
      headers:
        Deprecation: { schema: { type: string } }
        Link: { schema: { type: string } }
        Retry-After: { schema: { type: integer } }
      content: { application/json: {} }
`;
const { url: contract } = place({ 'contract.yaml': contractText });
const everything = [
  ...['getPet 200', 'getPet 200: x-count', 'deletePet 204', 'default', 'default: retry-after'],
  'error code pet_not_found',
];

describe('the coverage of a contract', () => {
  let directory = '';
  beforeEach(async () => {
    directory = join(temporaryDirectory(), 'seen');
    await startCoverage({ directory });
  });
  const see = (...names: readonly string[]) => recordSeen(contract.href, names, directory);
  const finish = (except = {}) => finishCoverage({ contract, directory, except });

  it('lists every status, header and error code that no test has covered', async () => {
    expect(await finish()).to.deep.equal({
      summary: 'Contract coverage\n  statuses    0 of 3\n  headers     0 of 2\n  error codes 0 of 1',
      missing: everything,
      staleExceptions: [],
    });
  });

  it('is complete if tests have covered everything', async () => {
    see(...everything, 'getPet 200: date');
    expect(await finish()).to.deep.equal({
      summary: 'Contract coverage\n  statuses    3 of 3\n  headers     2 of 2\n  error codes 1 of 1',
      missing: [],
      staleExceptions: [],
    });
  });

  it('does not require what an exception names, nor its headers', async () => {
    see('deletePet 204', 'error code pet_not_found');
    const except = { 'getPet 200': 'tested elsewhere', 'default: retry-after': 'fault tests' };
    const { summary, missing, staleExceptions } = await finish(except);
    expect(summary).to.match(/\n {2}exceptions {7}2$/);
    expect({ missing, staleExceptions }).to.deep.equal({ missing: ['default'], staleExceptions: [] });
  });

  it('does not require what an exception with wildcards stands for', async () => {
    const missing = (except: object) =>
      finish({ 'error code *': 'reason', ...except }).then((found) => [found.missing, found.staleExceptions]);
    const [count, retry] = ['getPet 200: x-count', 'default: retry-after'];
    const cases: readonly (readonly [exception: string, missing: readonly string[]])[] = [
      ['getPet 2XX', ['deletePet 204', 'default', retry]],
      ['* 2XX', ['default', retry]],
      ['* 204', ['getPet 200', count, 'default', retry]],
      ['*: x-*', ['getPet 200', 'deletePet 204', 'default', retry]],
      ['*', []],
    ];
    for (const [exception, left] of cases) {
      expect(await missing({ [exception]: 'reason' })).to.deep.equal([left, []]);
      await startCoverage({ directory });
    }
    for (const exception of ['getPet 3XX', 'getPet 20', 'getPet.200', '* 5XX', '(getPet|deletePet) 200']) {
      const [, stale] = await missing({ [exception]: 'reason' });
      expect(stale).to.deep.equal([`${exception}: the contract does not declare it`]);
      await startCoverage({ directory });
    }
    see('getPet 200', 'deletePet 204');
    expect((await missing({ '* 2XX': 'reason' }))[1]).to.deep.equal(['* 2XX: tests cover it']);
  });

  it('reports exceptions that tests cover, that do not exist, or that have no reason', async () => {
    see(...everything.slice(1));
    const { staleExceptions } = await finish({ 'deletePet 204': 'late', 'getPet 418': 'late', 'getPet 200': ' ' });
    expect(staleExceptions).to.deep.equal([
      'deletePet 204: a test covers it',
      'getPet 418: the contract does not declare it',
      'getPet 200: give the reason',
    ]);
  });

  it('does not count headers that the server writes by itself', async () => {
    const names = ['Date', 'Content-Length', 'X-Request-Id', 'X-Content-Type-Options', 'Cache-Control'];
    const headers = names.map((name) => `${name}: { schema: { type: string } }`).join(', ');
    const declared = `responses: { "204": { description: Done, headers: { ${headers} } } }`;
    const text = contractText.replace(/responses:\n +"204":.*\n.*\n/, `${declared}\n`);
    const { url: other } = place({ 'contract.yaml': text });
    const sent = { date: 'now', 'content-length': '0', 'x-request-id': 'a', 'x-content-type-options': 'nosniff' };
    const missingAfter = async (value: string) => {
      const own = join(temporaryDirectory(), 'seen');
      await startCoverage({ directory: own });
      const check = await createResponseCheck({ contract: other, coverageDirectory: own });
      check('DELETE', '/pets/1', { status: 204, headers: { ...sent, 'cache-control': value }, text: '' });
      const { missing } = await finishCoverage({ contract: other, directory: own });
      return missing.filter((name) => name.startsWith('deletePet'));
    };
    expect(await missingAfter('no-store')).to.deep.equal(['deletePet 204: cache-control']);
    expect(await missingAfter('max-age=60')).to.deep.equal([]);
  });

  it('does not require an error code whose status is declared without content', async () => {
    const none = '"404": { description: Not found }';
    const missingAfter = async (text: string) => {
      const { url: other } = place({ 'contract.yaml': text });
      const own = join(temporaryDirectory(), 'seen');
      await startCoverage({ directory: own });
      const { missing } = await finishCoverage({ contract: other, directory: own });
      return missing.filter((name) => name.startsWith('error code'));
    };
    const inGet = contractText.replace('"200": {', `${none}\n        "200": {`);
    expect(await missingAfter(inGet)).to.deep.equal(['error code pet_not_found']);
    expect(await missingAfter(inGet.replace('"204": {', `${none}\n        "204": {`))).to.deep.equal([]);
  });

  it('does not count responses of another contract', async () => {
    recordSeen('file:///other.yaml', everything, directory);
    expect((await finish()).missing).to.deep.equal(everything);
  });

  it('is not recorded before it is started and after it has finished', async () => {
    await finish();
    see(...everything);
    await startCoverage({ directory });
    expect((await finish()).missing).to.deep.equal(everything);
    expect(String(await errorOf(finish()))).to.include('Call startCoverage before the tests');
  });
});

describe('the coverage gate of mocha', () => {
  const testing = import.meta.resolve('#dist/index.js');
  const mocha = new URL('bin/mocha.js', import.meta.resolve('mocha/package.json'));
  const suite = (sent: string) => `
    import { createServer } from 'node:http';
    import { createRequest } from '${testing}';
    const server = createServer(({ method, url }, response) => {
      if (url === '/pets/2') {
        response.writeHead(404, { 'Content-Type': 'application/json', 'Retry-After': 1 });
        return response.end('{"code":"pet_not_found"}');
      }
      return response.writeHead(method === 'GET' ? 200 : 204, method === 'GET' ? { 'X-Count': 1 } : {}).end();
    });
    it('conforms', async () => {
      const request = await createRequest({ contract: 'contract.yaml', server });
      await ${sent};
    });`;

  /** Runs mocha in a project of its own, by default with two workers. */
  function run(secondRequest: string, mode: readonly string[] = ['--parallel', '--jobs', '2']) {
    const { directory } = place({
      'contract.yaml': contractText,
      'coverage.mjs': `
        import { coverageHooks } from '${testing}';
        export const { mochaGlobalSetup, mochaGlobalTeardown } = coverageHooks({
          contract: 'contract.yaml', except: { 'deletePet 204': 'a reason' }
        });`,
      'a.test.mjs': suite("request.get('/pets/1')"),
      'b.test.mjs': suite(secondRequest),
    });
    // The tests load a contract, which takes longer than mocha's default on a busy machine.
    const args = [...mode, '--timeout', '60000', '--require', './coverage.mjs', 'a.test.mjs', 'b.test.mjs'];
    const { MOCHA_WORKER_ID: _, ...env } = process.env;
    const options = { cwd: directory, encoding: 'utf8', env } as const;
    return spawnSync(process.execPath, [mocha.pathname, ...args], options);
  }

  it('passes if its parallel processes have covered everything together', () => {
    const { status, stdout, stderr } = run("request.get('/pets/2')");
    expect(stdout + stderr)
      .to.include('2 passing')
      .and.include('  statuses    2 of 3\n');
    expect(status).to.equal(0);
  });

  for (const mode of [['--parallel', '--jobs', '2'], ['--no-parallel'], ['--exit']])
    it(`fails with ${mode.join(' ')} if they have not, or if an exception is not needed`, () => {
      const { status, stderr } = run("request.delete('/pets/1')", mode);
      expect(stderr).to.include(
        'Error: Declared in the contract, but not covered by tests:\n  default\n  default: retry-after\n' +
          '  error code pet_not_found\nExceptions that are not needed:\n  deletePet 204: a test covers it\n',
      );
      expect(status).to.equal(1);
    });

  it('does not hide that a test has failed', () => {
    const { status, stdout } = run("Promise.reject(new Error('no'))", ['--no-parallel']);
    expect(stdout).to.include('1 failing');
    expect(status).to.equal(1);
  });
});
