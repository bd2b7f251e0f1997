import { spawn } from 'node:child_process';
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { stripVTControlCharacters } from 'node:util';
import { watchChild } from '@contract-server/test-support/servers/child-process.js';
import { ToolProcess } from '@contract-server/test-support/servers/tool-process.js';
import { temporaryDirectory } from '@contract-server/test-support/temporary-directory.js';
import { expect } from 'chai';

/** A created service, whose files a test changes. */
export class Project {
  constructor(readonly directory: string) {}

  /** A copy, which shares the installed packages. */
  copy(): Project {
    const copy = new Project(join(temporaryDirectory(), basename(this.directory)));
    const isSource = (path: string) => !['node_modules', 'dist', 'data'].includes(basename(path));
    cpSync(this.directory, copy.directory, { recursive: true, filter: isSource });
    symlinkSync(join(this.directory, 'node_modules'), join(copy.directory, 'node_modules'));
    return copy;
  }

  read(path: string): string {
    return readFileSync(join(this.directory, path), 'utf8');
  }

  write(path: string, contents: string): void {
    writeFileSync(join(this.directory, path), contents);
  }

  /** Replaces a text that the file contains once. */
  replace(path: string, found: string, replacement: string): void {
    const parts = this.read(path).split(found);
    expect(parts, `${path}: ${found}`).to.have.length(2);
    this.write(path, parts.join(replacement));
  }

  /** Inserts text ahead of a text that the file contains once. */
  insert(path: string, before: string, inserted: string): void {
    this.replace(path, before, `${inserted}${before}`);
  }

  /** The code of the README that contains a text. */
  example(containing: string): string {
    const blocks = this.read('README.md').split(/^```.*\n/m);
    const found = blocks.find((block) => block.includes(containing)) ?? '';
    expect(found, containing).not.to.equal('');
    return found;
  }

  /** Runs npm until it ends. The output is that of both streams, without colors. */
  npm(...args: readonly string[]) {
    return this.run('npm', ...args);
  }

  async run(command: string, ...args: readonly string[]) {
    const { MOCHA_WORKER_ID: _, ...env } = process.env;
    const child = spawn(command, args, { cwd: this.directory, env, stdio: ['ignore', 'pipe', 'pipe'] });
    const ended = watchChild(child);
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
    return { code: (await ended).code, output: stripVTControlCharacters(stdout + stderr) };
  }

  /** Starts what is built, on a free port. Resolves with the URL of the API. */
  async start(args: readonly string[] = ['serve'], program = 'dist/main.js') {
    const server = new ToolProcess(this.directory, args, join(this.directory, program));
    const [, baseUrl = ''] = await server.prints('stderr', / is at (http:\S+)/);
    return { server, baseUrl };
  }

  /** Starts what is built, with an empty database. */
  async startWithKey() {
    const { server, baseUrl } = await this.start();
    const [, apiKey = ''] = await server.prints('stderr', /curl -H "Authorization: Bearer (\S+)"/);
    return { server, baseUrl, apiKey };
  }

  /** `npm test` succeeds. */
  async passes(): Promise<void> {
    const { code, output } = await this.npm('test');
    expect(code, output).to.equal(0);
    expect(output).to.include('Contract coverage');
  }

  /** `npm test` fails with each of these texts. */
  async failsWith(...reasons: readonly string[]): Promise<void> {
    const { code, output } = await this.npm('test');
    expect(code, output).not.to.equal(0);
    for (const reason of reasons) expect(output.includes(reason), `${reason}\n${output}`).to.equal(true);
  }
}

/** A started service creates its first book, and finds it. */
export async function createsAndFinds(baseUrl: string, apiKey: string): Promise<void> {
  const headers = { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' };
  const init = { method: 'POST', headers, body: '{"title":"Emma","author":"Jane Austen"}' };
  const created = await fetch(`${baseUrl}/books`, init);
  expect([created.status, created.headers.get('location')]).to.deep.equal([201, `${baseUrl}/books/1`]);
  const emma = { id: 1, title: 'Emma', author: 'Jane Austen' };
  expect(await (await fetch(`${baseUrl}/books/1`, { headers })).json()).to.deep.equal(emma);
  expect(await (await fetch(`${baseUrl}/books`, { headers })).json()).to.deep.equal([emma]);
  for (const path of ['/docs', '/openapi.yaml', '/readyz'])
    expect((await fetch(new URL(path, baseUrl))).status, path).to.equal(200);
}
