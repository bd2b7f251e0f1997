import { expect } from 'chai';
import { petstore } from '../../support/cli/command-line.js';
import { describePostgres, sharedPostgres } from '../../support/postgres/postgres.js';
import { closeService, startService, type TestService } from '../../support/servers/service.js';

const lines = [
  '{"name":"Rex","categoryId":7}',
  '{"name":"猫 \\"Mimi\\"","categoryId":9223372036854775807,"status":"sold"}',
  '{"name":"\u202eabc","categoryId":-9223372036854775808,"status":"sold"}',
  '{"name":"Bo","categoryId":0,"status":"pending"}',
];
const json = {
  mimi: '{\n  "id": 2,\n  "name": "猫 \\"Mimi\\"",\n  "categoryId": 9223372036854775807,\n  "status": "sold"\n}',
};

function describePets(env: () => Promise<Readonly<Record<string, string>>>): void {
  let service: TestService;
  let options: { readonly directory: string; readonly env: Readonly<Record<string, string>> };
  before(async () => {
    options = { directory: '', env: await env() };
    service = await startService(options.env);
    options = { ...options, directory: service.directory };
    await petstore(['pets', 'import', '-'], { ...options, stdin: lines.join('\n') });
  });
  after(() => closeService(service));

  const pets = (...args: string[]) => petstore(['pets', ...args], options);
  const cursorOf = (text: string) => / --cursor (\S+) /.exec(text)?.[1] ?? '';

  describe('`petstore pets list`', () => {
    it('prints a table, with exact integers and without control characters', async () => {
      expect(await pets('list')).to.deep.equal({
        exitCode: 0,
        stderr: '',
        stdout:
          'ID  NAME                  CATEGORY ID  STATUS\n' +
          ' 1  Rex                             7  available\n' +
          ' 2  猫 "Mimi"     9223372036854775807  sold\n' +
          ' 3  \\u{202e}abc  -9223372036854775808  sold\n' +
          ' 4  Bo                              0  pending\n',
      });
    });

    it('prints one page of the pets with a status, and the cursor of the next page', async () => {
      const first = await pets('list', '--status', 'sold', '--limit', '1');
      expect(first).to.include({ exitCode: 0 });
      expect(first.stdout).to.match(/^ID .+\n {0,1}2 .+ sold\n$/);
      expect(first.stderr).to.match(/^There are more pets: add --cursor \S+ for the next page\.\n$/);
      const next = await pets('list', '--status', 'sold', '--limit', '1', '--cursor', cursorOf(first.stderr));
      expect(next).to.include({ exitCode: 0, stderr: '' });
      expect(next.stdout).to.match(/^ID .+\n {0,1}3 .+ sold\n$/);
    });

    it('prints exact pets, and the cursor that the API returns, with --json', async () => {
      const page = await pets('list', '--json', '--status', 'sold', '--limit', '1');
      const indented = json.mimi.replaceAll('\n', '\n    ');
      const { nextCursor } = JSON.parse(page.stdout) as { nextCursor: string };
      const stdout = `{\n  "pets": [\n    ${indented}\n  ],\n  "nextCursor": "${nextCursor}"\n}\n`;
      expect(page).to.deep.equal({ exitCode: 0, stdout, stderr: '' });
      const headers = { authorization: `Bearer ${service.token}` };
      const { headers: sent } = await fetch(`${service.baseUrl}/pets?status=sold&limit=1`, { headers });
      expect(sent.get('link')).to.contain(`cursor=${nextCursor}`);
    });

    it('rejects a cursor of another filter', async () => {
      const cursor = cursorOf((await pets('list', '--limit', '3')).stderr);
      expect(await pets('list', '--limit', '100', '--cursor', cursor)).to.include({ exitCode: 0, stderr: '' });
      const other = await pets('list', '--status', 'available', '--cursor', cursor);
      const stderr =
        'The cursor is invalid for this list. Omit --cursor for the first page, or use the one that the previous page ' +
        'printed.\n';
      expect(other).to.deep.equal({ exitCode: 1, stdout: '', stderr });
    });
  });

  describe('`petstore pets get`', () => {
    it('shows each field of a pet, and the same with --json', async () => {
      expect(await pets('get', '2')).to.deep.equal({
        exitCode: 0,
        stdout: 'ID:           2\nName:         猫 "Mimi"\nCategory ID:  9223372036854775807\nStatus:       sold\n',
        stderr: '',
      });
      expect((await pets('get', '2', '--json')).stdout).to.equal(`${json.mimi}\n`);
    });

    it('exits with 1 if there is no such pet, also for an id beyond 2^53', async () => {
      for (const id of ['5', '9007199254740993', '9223372036854775807']) {
        const stderr = `No pet has the id ${id}.\n`;
        expect(await pets('get', id)).to.deep.equal({ exitCode: 1, stdout: '', stderr });
      }
    });
  });
}

describe('petstore pets, while the service runs on SQLite', () => describePets(() => Promise.resolve({})));

describePostgres('petstore pets, while the service runs on PostgreSQL', () => {
  describePets(async () => ({ DATABASE_URL: await (await sharedPostgres()).createDatabase() }));
});

describe('petstore pets with invalid parameters', () => {
  const integer = 'must be an integer from';
  const usage: readonly [args: string, message: string][] = [
    ['list --limit 0', `error: Option --limit ${integer} 1 to 100.`],
    ['list --limit 101', `error: Option --limit ${integer} 1 to 100.`],
    ['list --limit 1e1', `error: Option --limit ${integer} 1 to 100.`],
    ['list --cursor _', 'error: Option --cursor must have 1 to 200 characters.'],
    [
      'list --status gone',
      "error: option '--status <status>' argument 'gone' is invalid. Allowed choices are available, pending, sold.",
    ],
    ['get one', `error: Argument petId ${integer} -9223372036854775808 to 9223372036854775807.`],
    ['get 9223372036854775808', `error: Argument petId ${integer} -9223372036854775808 to 9223372036854775807.`],
  ];
  for (const [args, message] of usage) {
    it(`exits with 2 and prints the rule of the contract for \`pets ${args}\``, async () => {
      const run = await petstore(['pets', ...args.split(' ').map((arg) => (arg === '_' ? '' : arg))]);
      expect(run).to.deep.equal({ exitCode: 2, stdout: '', stderr: `${message}\n` });
    });
  }
});

describe('petstore pets list', () => {
  it('reports that no pet matches in an empty store', async () => {
    expect(await petstore(['pets', 'list'])).to.deep.equal({ exitCode: 0, stdout: 'No pets match.\n', stderr: '' });
    expect((await petstore(['pets', 'list', '--json'])).stdout).to.equal('{\n  "pets": [],\n  "nextCursor": null\n}\n');
  });

  it('shows the filters of the contract with --help', async () => {
    const { stdout } = await petstore(['pets', 'list', '--help']);
    expect(stdout).to.match(/--limit <limit> +Maximum number of pets to return \(1 to 100, default 20\)\./);
    expect(stdout).to.match(/--status <status> +Filters by status\. \(choices: "available", "pending", "sold"\)/);
  });
});
