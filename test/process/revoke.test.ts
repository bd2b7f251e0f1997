import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import type { KeyView } from '#src/cli/output/key-views.js';
import { petstore, petstoreJson } from '../support/cli/command-line.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const program = fileURLToPath(import.meta.resolve('#src/cli/petstore.js'));

describe('petstore keys revoke on a terminal', () => {
  let directory: string;
  let id: string;
  beforeEach(async () => {
    directory = temporaryDirectory();
    const create = ['keys', 'create', '--name', 'Mobile app', '--plan', 'pro'];
    ({ id } = await petstoreJson<KeyView>(create, { directory }));
  });

  const stateOf = async () => (await petstoreJson<KeyView>(['keys', 'show', id], { directory })).state;

  /** Runs the command on a terminal, and types `input` at the prompt. */
  async function revoke(options: string, input: string): Promise<{ exitCode: number; printed: string }> {
    const command = `${process.execPath} ${program} keys revoke ${id} ${options}`;
    const env = { ...process.env, DATA_DIR: directory };
    // `script` (util-linux) runs the command on a terminal.
    const terminal = spawn('script', ['-qec', command, '/dev/null'], { env, stdio: ['pipe', 'pipe', 'ignore'] });
    let printed = '';
    terminal.stdout.on('data', (text: Buffer) => {
      const hasPrompt = printed.includes('[y/N]');
      printed += text.toString();
      if (!hasPrompt && printed.includes('[y/N]')) terminal.stdin.write(input);
    });
    try {
      const [exitCode] = (await once(terminal, 'close', { signal: AbortSignal.timeout(30_000) })) as [number];
      return { exitCode, printed };
    } finally {
      // `script` ends, and hangs up the terminal.
      terminal.kill();
    }
  }

  for (const input of ['y\r', 'YES\r']) {
    it(`shows the key, and revokes it after the input ${JSON.stringify(input)}`, async () => {
      const { exitCode, printed } = await revoke('', input);
      expect(exitCode).to.equal(0);
      expect(printed).to.match(/Name: +Mobile app\r\n(.*\r\n)*Plan: +pro\r\n(.*\r\n)*.*Revoke this key permanently\?/);
      expect(printed).to.contain(`${id} was revoked at `);
      expect(await stateOf()).to.equal('revoked');
    });
  }

  for (const input of ['\r', 'n\r', 'yep\r', '\u0003', '\u0004']) {
    it(`does not revoke the key after the input ${JSON.stringify(input)}`, async () => {
      const { exitCode, printed } = await revoke('', input);
      expect(exitCode).to.equal(1);
      expect(printed).to.match(/\r\nThe key was not revoked\.\r\n$/);
      expect(await stateOf()).to.equal('active');
    });
  }

  for (const option of ['--yes', '--json']) {
    it(`does not prompt with ${option}`, async () => {
      const { exitCode, printed } = await revoke(option, 'n\r');
      expect(exitCode).to.equal(0);
      expect(printed).to.not.contain('[y/N]');
      expect(await stateOf()).to.equal('revoked');
    });
  }

  it('does not prompt for a key that is unknown or revoked already', async () => {
    await petstore(['keys', 'revoke', id], { directory });
    const again = await revoke('', 'n\r');
    expect(again.exitCode).to.equal(0);
    expect(again.printed).to.not.contain('[y/N]');
    id = 'key_unknown';
    const unknown = await revoke('', 'y\r');
    expect(unknown).to.deep.include({ exitCode: 1 });
    expect(unknown.printed).to.equal('No key has the id key_unknown. List the keys with `petstore keys list`.\r\n');
  });

  it('does not prompt without a terminal', async () => {
    const env = { ...process.env, DATA_DIR: directory };
    const child = spawn(process.execPath, [program, 'keys', 'revoke', id], { env, stdio: ['pipe', 'ignore', 'pipe'] });
    expect(await once(child, 'close')).to.deep.equal([0, null]);
    expect(await stateOf()).to.equal('revoked');
  });
});
