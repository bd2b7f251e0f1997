import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, readdirSync, readFileSync, watch } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { describePostgres } from '../support/postgres/postgres.js';
import { describeWithRedis, eventually } from '../support/redis/redis-server.js';
import { describeWithNginx } from '../support/servers/nginx.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));
/** The nodes stop within 10 s, and remaining processes are killed after 15 s. */
const stopMs = 20_000;

/** `npm run fleet`, without the build that precedes it. */
class FleetCommand {
  readonly directory = temporaryDirectory();
  readonly ended: Promise<unknown>;
  private readonly child: ChildProcess;
  private output = '';

  constructor() {
    // PostgreSQL runs as another user where the tests run as root.
    chmodSync(this.directory, 0o711);
    this.child = spawn('npm', ['run', 'fleet', '--ignore-scripts'], {
      cwd: root,
      env: { ...process.env, TMPDIR: this.directory },
      stdio: ['ignore', 'pipe', 'ignore'],
      // A separate session, by which all its processes are found.
      detached: true,
    });
    this.child.stdout?.setEncoding('utf8').on('data', (text: string) => (this.output += text));
    this.ended = once(this.child, 'exit');
  }

  async started(): Promise<void> {
    while (!this.output.includes('Try it')) await once(this.child.stdout as NodeJS.ReadableStream, 'data');
    const pids = [...this.output.matchAll(/ pid (\d+)/g)].map(([, pid]) => Number(pid));
    expect(pids).to.have.lengthOf(6);
    expect(this.processes).to.include.members(pids);
  }

  /** Resolves once it has made its first temporary directory. */
  async starting(): Promise<void> {
    const watcher = watch(this.directory);
    await once(watcher, 'change');
    watcher.close();
  }

  /** Signals the process of npm, as `kill` and a supervisor do, or the fleet itself. */
  kill(signal: NodeJS.Signals, program: 'npm' | 'node'): void {
    const own = this.processes.find((pid) => readProcess(pid, 'cmdline').includes('fleet-process.js'));
    process.kill((program === 'npm' ? this.child.pid : own) ?? NaN, signal);
  }

  /** Every process of its session that runs. */
  get processes(): number[] {
    const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
    return pids.map(Number).filter((pid) => {
      const [state, , , session] = readProcess(pid, 'stat')
        .replace(/^.*\) /s, '')
        .split(' ');
      return Number(session) === this.child.pid && state !== 'Z';
    });
  }
}

/** Empty for a process that has ended. */
function readProcess(pid: number, file: 'stat' | 'cmdline'): string {
  try {
    return readFileSync(`/proc/${String(pid)}/${file}`, 'utf8');
  } catch {
    return '';
  }
}

describePostgres('npm run fleet', () => {
  describeWithRedis('with Redis', () => {
    describeWithNginx('and nginx', () => {
      let command: FleetCommand;

      beforeEach(function () {
        if (!existsSync('/proc/self/stat')) this.skip();
        command = new FleetCommand();
      });

      afterEach(() => {
        for (const pid of command.processes) process.kill(pid, 'SIGKILL');
      });

      const leavesNothing = async () => {
        await eventually('everything has stopped', () => command.processes.length === 0, stopMs);
        expect(readdirSync(command.directory)).to.deep.equal([]);
      };

      for (const [signal, program] of [
        ['SIGTERM', 'npm'],
        ['SIGINT', 'npm'],
        ['SIGTERM', 'node'],
        ['SIGHUP', 'node'],
      ] as const) {
        it(`stops all its processes: ${signal} to ${program}`, async function () {
          this.timeout(60_000);
          await command.started();
          command.kill(signal, program);
          await leavesNothing();
        });
      }

      it('stops all its processes: SIGTERM to npm while it starts', async function () {
        this.timeout(60_000);
        await command.starting();
        command.kill('SIGTERM', 'npm');
        await leavesNothing();
      });
    });
  });
});
