import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { directoryWith } from '@contract-server/test-support/servers/tool-process.js';
import { expect } from 'chai';
import { repository } from '../package/project.js';

const run = promisify(execFile);
const readme = readFileSync(fileURLToPath(new URL('../../../README.md', import.meta.url)), 'utf8');

/** The files of the recipe in the README. */
const recipe = Object.fromEntries(
  [...readme.matchAll(/^```js\n\/\/ (jest\S+)\n(.*?)^```$/gms)].map(([, path = '', text = '']) => [path, text]),
);

const test = `
import { createRouter } from 'contract-server';
import { createRequest } from '@contract-server/testing';
import express from 'express';

const operation = { operationId: 'ping', responses: { 200: { description: 'Pong' } } };
const info = { title: 'Ping', version: '1.0.0' };
const contract = { openapi: '3.0.4', info, paths: { '/ping': { get: operation } } };

test('pings', async () => {
  const router = await createRouter()({ contract, handlers: { ping: async () => ({ status: 200 }) } });
  const request = await createRequest({ contract, server: express().use(router) });
  await request.get('/ping').expect(200);
});
`;

describe('the recipe for Jest', function () {
  // npm is slow on a busy machine.
  this.timeout(300_000);

  it('runs the tests of a router', async () => {
    expect(Object.keys(recipe)).to.have.members(['jest.config.js', 'jest-ref-parser.cjs']);
    const manifest = JSON.stringify({ type: 'module', private: true });
    const cwd = directoryWith({ ...recipe, 'package.json': manifest, 'ping.test.js': test });
    await run('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--prefer-offline', 'jest@30'], {
      cwd,
    });
    mkdirSync(join(cwd, 'node_modules'), { recursive: true });
    symlinkSync(join(repository, 'packages/contract-server'), join(cwd, 'node_modules/contract-server'));
    symlinkSync(join(repository, 'node_modules/@contract-server'), join(cwd, 'node_modules/@contract-server'));
    symlinkSync(join(repository, 'node_modules/express'), join(cwd, 'node_modules/express'));
    const env = { ...process.env, NODE_OPTIONS: '--experimental-vm-modules' };
    const { stderr } = await run(process.execPath, ['node_modules/jest/bin/jest.js'], { cwd, env });
    expect(stderr).to.match(/^Tests: +1 passed, 1 total$/m);
  });
});
