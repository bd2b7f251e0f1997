import { spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { settingList } from '#src/config.js';
import { failure, petstore, success, TextOutput } from '../support/cli/command-line.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const program = fileURLToPath(import.meta.resolve('#src/cli/petstore.js'));

/** A module that prints the CommonJS files that a process has loaded when it exits. */
const reportLoadedFiles = `data:text/javascript,${encodeURIComponent(`
  import { createRequire } from 'node:module';
  process.on('exit', () => console.error(Object.keys(createRequire(${JSON.stringify(import.meta.url)}).cache).join()));
`)}`;

/** Emits what is written to it. */
class WatchedOutput extends TextOutput {
  override _write(chunk: string, encoding: BufferEncoding, done: () => void): void {
    super._write(chunk, encoding, done);
    this.emit('text');
  }

  async until(pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const match = pattern.exec(this.text);
      if (match !== null) return match;
      await once(this, 'text');
    }
  }
}

class FakeSignals extends EventEmitter {
  readonly exits: number[] = [];
  exit = (code: number) => void this.exits.push(code);
}

describe('petstore', () => {
  it('--help lists every setting in columns, and examples', async () => {
    const { exitCode, stdout, stderr } = await petstore(['--help']);
    expect({ exitCode, stderr }).to.deep.equal({ exitCode: 0, stderr: '' });
    const lines = stdout.split('\n');
    const heading = lines.find((line) => /^ {2}NAME +DEFAULT +UNIT +DESCRIPTION$/.test(line)) ?? '';
    for (const { name, default: defaultText, unit, description } of settingList) {
      const line = lines.find((candidate) => candidate.startsWith(`  ${name} `)) ?? '';
      const cells = [defaultText || '-', unit, description];
      ['DEFAULT', 'UNIT', 'DESCRIPTION'].forEach((column, index) => {
        expect(line.slice(heading.indexOf(column)), `${name}: ${column}`).to.match(
          new RegExp(`^${escaped(cells[index] ?? '')}( |$)`),
        );
      });
    }
    expect(stdout).to.contain('\nExamples:\n  petstore serve\n');
  });

  it('--version prints the version of the contract', async () => {
    expect(await petstore(['--version'])).to.deep.equal(success('1.0.0\n'));
  });

  for (const args of [[], ['keys'], ['pets']]) {
    it(`exits with 2 and prints the help for \`petstore ${args.join(' ')}\`, which is incomplete`, async () => {
      const { exitCode, stdout, stderr } = await petstore(args);
      expect({ exitCode, stdout }).to.deep.equal({ exitCode: 2, stdout: '' });
      expect(stderr).to.match(/^Usage: petstore/);
    });
  }

  it('exits with 2 for an unknown command', async () => {
    expect(await petstore(['kyes'])).to.deep.equal(failure("unknown command 'kyes'; did you mean keys?", 2));
  });

  it('exits with 2 and reports every invalid setting', async () => {
    const env = { PORT: 'http', PETSTORE_ENVIRONMENT: 'test' };
    expect(await petstore(['keys', 'list'], { env })).to.deep.equal(
      failure(
        'PORT=http is invalid; it must be an integer from 0 to 65535\n' +
          'error: PETSTORE_ENVIRONMENT=test is invalid; it must be one of: production, staging',
        2,
      ),
    );
  });

  it('exits with 1 and one sentence when the database file is not a database', async () => {
    const directory = temporaryDirectory();
    writeFileSync(join(directory, 'petstore.db'), 'no database at all');
    const { exitCode, stdout, stderr } = await petstore(['keys', 'list'], { directory });
    expect({ exitCode, stdout }).to.deep.equal({ exitCode: 1, stdout: '' });
    expect(stderr).to.match(/^error: the database .+petstore\.db cannot be opened: .+; see DATA_DIR\n$/);
  });

  it('loads neither express nor openapi-backend for a command that needs no server', async () => {
    const env = { ...process.env, DATA_DIR: temporaryDirectory() };
    const child = spawn(process.execPath, ['--import', reportLoadedFiles, program, 'keys', 'list'], { env });
    const loaded = await text(child.stderr);
    expect(loaded).to.contain('/node_modules/better-sqlite3/');
    expect(loaded).to.not.match(/node_modules.(express|openapi-backend)/);
  });

  it('exits silently when its output is closed', async () => {
    const env = { ...process.env, DATA_DIR: temporaryDirectory() };
    const child = spawn(process.execPath, [program, 'keys', 'list'], { env });
    child.stdout.destroy();
    const errors = text(child.stderr);
    expect(await once(child, 'close')).to.deep.equal([0, null]);
    expect(await errors).to.equal('');
  });

  describe('serve', () => {
    const start = () => {
      const stderr = new WatchedOutput();
      const signals = new FakeSignals();
      const dependencies = {
        directory: temporaryDirectory(),
        env: { PORT: '0', LOG_LEVEL: 'silent' },
        stderr,
        signals,
      };
      return { ...dependencies, ended: petstore(['serve'], dependencies) };
    };

    it('serves until it is stopped, then exits with 0', async () => {
      const { ended, stderr, signals } = start();
      const [, baseUrl = ''] = await stderr.until(/ is at (\S+)\n/);
      const [token] = await stderr.until(/pets_live_\w+/);
      const response = await fetch(`${baseUrl}/pets`, {
        headers: { Authorization: `Bearer ${token}`, Connection: 'close' },
      });
      expect(response.status).to.equal(200);
      signals.emit('SIGTERM');
      expect((await ended).exitCode).to.equal(0);
      expect(signals.exits).to.deep.equal([0]);
      expect(await fetch(baseUrl).catch(() => 'gone')).to.equal('gone');
    });

    it('exits immediately on a second signal', async () => {
      const { ended, stderr, signals } = start();
      await stderr.until(/ is at /);
      signals.emit('SIGINT');
      signals.emit('SIGINT');
      expect(signals.exits).to.deep.equal([1]);
      await ended;
    });

    it('exits with 1 and names the server that uses the data directory', async () => {
      const first = start();
      await first.stderr.until(/ is at /);
      const second = await petstore(['serve'], { directory: first.directory, env: { PORT: '0', LOG_LEVEL: 'silent' } });
      expect(second).to.include({ exitCode: 1, stdout: '' });
      expect(second.stderr).to.match(
        /^error: another petstore server .+; stop it, or set DATA_DIR to another directory\n$/,
      );
      first.signals.emit('SIGTERM');
      await first.ended;
    });
  });
});

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
