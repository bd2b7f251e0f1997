import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packedNames } from '@contract-server/test-support/packed-packages.js';
import { postgresToSkip, sharedPostgres } from '@contract-server/test-support/postgres/postgres.js';
import { describeUnless } from '@contract-server/test-support/requirements.js';
import { temporaryDirectory } from '@contract-server/test-support/temporary-directory.js';
import { expect } from 'chai';
import { documents, root } from '../../scripts/documents.js';
import { copyProject } from '../support/copy-project.js';
import { commandBlocksOf } from '../support/docs/command-blocks.js';
import { runCommands, type Shell, writePrograms } from '../support/docs/document-shell.js';
import { ServerProcess } from '../support/servers/server-process.js';

/** The commands that are not run, each with the reason. Others are run, also those beside them in a block. */
const exceptions: readonly (readonly [program: string, args: string, reason: string])[] = [
  ['docker', '*', 'needs a Docker daemon'],
  ['kubectl', '*', 'needs a Kubernetes cluster'],
  ['systemctl', '*', 'needs systemd'],
  ['sudoedit', '*', 'opens an editor'],
  ['npm', 'ci*', 'needs the registry; the packages are linked'],
  ['npm', 'install*', 'needs the registry; the packages are linked'],
  ['npm', 'test*', 'runs this test; that of a created service is run by contract-server/test/new/'],
  ['npm', 'run\\ bench*', 'takes 40 minutes'],
];

/** Documents whose commands another test runs, which fails for a block that it does not run. */
const elsewhere: Readonly<Record<string, string>> = {
  'packages/contract-server/README.md': 'packages/contract-server/test/package/installed.test.ts',
};

/** Documents whose commands take long, so that `npm run test:faults` runs them, and nothing else of this file. */
const slow = ['packages/contract-server/template/README.md'];
const isFaults = process.env['PETSTORE_TEST_FAULTS'] !== undefined;

/** What a document needs besides a copy of the project. */
const needs: Readonly<Record<string, (shell: Shell) => Partial<Shell> | Promise<Partial<Shell>>>> = {
  'README.md': startPetStore,
  'docs/mock.md': ({ cwd }) => {
    cpSync(join(cwd, 'spec/petstore.yaml'), join(cwd, 'petstore.yaml'));
    return {};
  },
  'docs/operations.md': async ({ home, cwd }) => {
    for (const folder of ['etc/systemd/system', 'var/lib/petstore', 'backups', 'srv', 'opt/otel'])
      mkdirSync(join(home, folder), { recursive: true });
    symlinkSync(cwd, join(home, 'opt/petstore'));
    symlinkSync(join(cwd, 'node_modules'), join(home, 'opt/otel/node_modules'));
    const database = await (await sharedPostgres()).createDatabase();
    const ids = `-o ${String(process.getuid?.())} -g ${String(process.getgid?.())}`;
    const replaced = { 'postgres://…': database, '-o 1000 -g 1000': ids, '//collector.example:4318': '//127.0.0.1:9' };
    const env = { DATA_DIR: join(home, 'var/lib/petstore') };
    // The prose says how to create the backup that is restored.
    await runCommands('petstore migrate && petstore backup /backups/petstore.db', { home, cwd, env });
    return { env, replaced };
  },
  // The created service has the packages of this project.
  'packages/contract-server/template/README.md': ({ home }) => {
    for (const name of packedNames()) writeFileSync(join(home, name), '');
    const program = join(root, 'packages/contract-server/bin/contract-server.js');
    execFileSync(process.execPath, [program, 'new', 'my-service', '--packages', home], { cwd: home });
    symlinkSync(join(root, 'node_modules'), join(home, 'my-service/node_modules'));
    return {
      cwd: join(home, 'my-service'),
      replaced: { '<id>': '$(node dist/main.js keys list --json | grep -o "key_[[:alnum:]]*" | tail -n 1)' },
    };
  },
  'examples/conduit/README.md': async () => {
    const settings = { JWT_SECRET: 'a secret of the tests, with 32 characters', DATA_DIR: temporaryDirectory() };
    const server = await ServerProcess.start(settings, { command: [join(root, 'examples/conduit/dist/main.js')] });
    return { replaced: { '127.0.0.1:8080': new URL(server.baseUrl).host } };
  },
};

async function startPetStore() {
  const server = await ServerProcess.start({ DATA_DIR: temporaryDirectory() });
  await server.waitForStderr(/curl .+\n/);
  return {
    env: { API_KEY: server.firstKey ?? '' },
    replaced: { '127.0.0.1:8080': new URL(server.baseUrl).host },
  };
}

/** Statuses of responses that no example is meant to have, unless the document shows the response. */
const mistake = /^HTTP (000|401|404|405|5\d\d)$/m;

/** The scripts that do nothing for the exceptions, and otherwise run the program. */
function programsOf(cwd: string): Record<string, string> {
  const names = [...new Set(exceptions.map(([program]) => program))];
  const skipping = names.map((name) => {
    const args = exceptions.flatMap(([program, args]) => (program === name ? [args] : []));
    return [name, `case "$*" in ${args.join('|')}) exit ;; esac\nPATH=\${PATH#*:} exec ${name} "$@"`] as const;
  });
  return {
    ...Object.fromEntries(skipping),
    sudo: 'exec env "$@"',
    petstore: `exec node ${cwd}/dist/petstore.js "$@"`,
    curl: `PATH=\${PATH#*:} exec curl --write-out '%{stderr}HTTP %{http_code}\\n' "$@"`,
  };
}

describe('the commands of the documents', function () {
  this.timeout(180_000);
  let shell: Shell;
  before(async () => {
    const home = temporaryDirectory();
    const cwd = await copyProject(join(home, 'petstore'), ['deploy', 'examples/conduit', 'packages/node20']);
    writePrograms(home, programsOf(cwd));
    shell = { home, cwd };
  });

  const withCommands = documents.filter((document) => commandBlocksOf(document).length > 0);

  it('are found', () => {
    expect(withCommands).to.include.members(['README.md', 'docs/operations.md', ...Object.keys(elsewhere)]);
    expect(documents).to.include.members([...Object.keys(needs), ...slow]);
  });

  const run = async (document: string) => {
    const own = { ...shell, ...(await needs[document]?.(shell)) };
    for (const { line, runs } of commandBlocksOf(document))
      for (const { commands, output } of runs) {
        const { stdout, stderr } = await runCommands(commands, own);
        const place = `${document}:${String(line)} ${commands}`;
        if (output === undefined) expect(stderr, place).not.to.match(mistake);
        else expect(shownOf(stdout, own), place).to.equal(output);
      }
  };

  for (const document of withCommands.filter((each) => !(each in elsewhere) && slow.includes(each) === isFaults))
    describeUnless(document === 'docs/operations.md' ? postgresToSkip : undefined, `in ${document}`, () => {
      it(`succeed, in the order of ${document}, with the output that it shows`, () => run(document));
    });
});

/** What a document shows of an output. */
function shownOf(stdout: string, { replaced = {} }: Shell): string {
  const text = Object.entries(replaced).reduce((found, [shown, here]) => found.replaceAll(here, shown), stdout);
  return text.replaceAll('\r', '').replace(/[^\n]$/, '$&\n');
}
