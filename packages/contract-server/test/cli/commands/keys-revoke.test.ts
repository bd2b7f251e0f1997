import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { TextOutput } from '@contract-server/test-support/cli/command-line.js';
import type { KeyView } from '@contract-server/test-support/cli/issued-keys.js';
import { toys, toysJson } from '@contract-server/test-support/cli/toys.js';
import { program } from '@contract-server/test-support/servers/toys-process.js';
import { temporaryDirectory } from '@contract-server/test-support/temporary-directory.js';
import { expect } from 'chai';

describe('toys keys revoke on a terminal', () => {
  let directory: string;
  let id: string;
  beforeEach(async () => {
    directory = temporaryDirectory();
    const create = ['keys', 'create', '--name', 'Mobile app', '--plan', 'pro'];
    ({ id } = await toysJson<KeyView>(create, { directory }));
  });

  const stateOf = async () => {
    const keys = await toysJson<KeyView[]>(['keys', 'list'], { directory });
    return keys.find((key) => key.id === id)?.state;
  };

  /** Runs the command on a terminal, and types `input` at the prompt. */
  async function revoke(options: readonly string[], input: string): Promise<{ exitCode: number; printed: string }> {
    const command = `${process.execPath} ${program} keys revoke ${id} ${options.join(' ')}`;
    const env = { ...process.env, DATA_DIR: directory };
    // `script` (util-linux) runs the command on a terminal.
    const terminal = spawn('script', ['-qec', command, '/dev/null'], { env, stdio: ['pipe', 'pipe', 'ignore'] });
    let printed = '';
    terminal.stdout.on('data', (text: Buffer) => {
      const hasPrompt = printed.includes('[y/N]');
      printed += text.toString();
      if (!hasPrompt && printed.includes('[y/N]')) terminal.stdin.write(input);
    });
    const [exitCode] = (await once(terminal, 'close')) as [number];
    return { exitCode, printed };
  }

  /** The same in this process, on streams that are a terminal. */
  async function revokeHere(options: readonly string[], input: string): ReturnType<typeof revoke> {
    const stdin = Object.assign(new PassThrough(), { isTTY: true });
    const [stdout, stderr] = [new TextOutput(true), new TextOutput(true)];
    const running = toys(['keys', 'revoke', id, ...options], { directory, stdin, stdout, stderr });
    await Promise.race([stderr.until(/\[y\/N\]/).then(() => stdin.write(input)), running]);
    return { exitCode: (await running).exitCode, printed: stdout.text + stderr.text };
  }

  for (const [input, type] of [
    ['y\r', revoke],
    ['YES\r', revokeHere],
    ['\r', revokeHere],
    ['yep\r', revokeHere],
    ['\u0003', revoke],
    ['\u0004', revoke],
  ] as const) {
    const state = /^y(es)?\r$/i.test(input) ? 'revoked' : 'active';
    it(`leaves the key ${state} after the input ${JSON.stringify(input)}`, async () => {
      const { exitCode, printed } = await type([], input);
      expect(printed).to.contain(`Revoke the key ${id} permanently?`);
      expect(printed).to.contain(state === 'revoked' ? `The key ${id} was revoked at ` : 'The key was not revoked.');
      expect([exitCode, await stateOf()]).to.deep.equal([state === 'revoked' ? 0 : 1, state]);
    });
  }

  for (const option of ['--yes', '--json'])
    it(`does not prompt with ${option}`, async () => {
      const { exitCode, printed } = await revokeHere([option], 'n\r');
      expect([exitCode, printed.includes('[y/N]'), await stateOf()]).to.deep.equal([0, false, 'revoked']);
    });
});
