import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../../', import.meta.url));
const { exports } = JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as { readonly exports: object };
const paths = Object.keys(exports).filter((path) => !path.includes('*'));
const names = [
  ...paths.map((path) => path.replace('.', 'contract-server')),
  '@contract-server/client',
  '@contract-server/testing',
];

const contract = {
  openapi: '3.0.4',
  info: { title: 'Ping', version: '1.0.0' },
  paths: { '/ping': { get: { operationId: 'ping', responses: { 200: { description: 'Pong' } } } } },
};

/** An application in CommonJS. */
const application = `
const express = require('express');
const { createRouter, listen } = require('contract-server');
for (const name of ${JSON.stringify(names)}) require(name);
(async () => {
  const handlers = { ping: async () => ({ status: 200 }) };
  const app = express().use(await createRouter()({ contract: ${JSON.stringify(contract)}, handlers }));
  const { url, close } = await listen(app, { port: 0, host: '127.0.0.1' });
  console.log((await fetch(url + '/ping')).status);
  process.exit();
})();`;

describe('the package in CommonJS', () => {
  it('is loaded by `require`, each entry point too, without a warning', async () => {
    expect(names).to.include.members(['contract-server', 'contract-server/sqlite']);
    expect(await run(process.execPath, ['--eval', application], { cwd: root })).to.deep.equal({
      stdout: '200\n',
      stderr: '',
    });
  });
});
