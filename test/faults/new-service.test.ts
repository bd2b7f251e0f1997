import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { npmStart } from '../support/servers/npm-start.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));

const greeting = `
  /greetings/{visitor}:
    get:
      operationId: getGreeting
      summary: Get a greeting
      parameters:
        - { name: visitor, in: path, required: true, schema: { type: string, maxLength: 9 } }
      responses:
        "200":
          description: The greeting.
          content:
            application/json:
              schema: { type: object, required: [greeting], properties: { greeting: { type: string } } }
        default: { $ref: "#/components/responses/Error" }
`;
const handler = `
    getGreeting: ({ path: { visitor } }) =>
      Promise.resolve({ status: 200, body: stringifyJson({ greeting: \`Hello, \${visitor}\` }) }),`;

describe('npm run new-service', function () {
  this.timeout(600_000);
  let service: string;

  function npm(directory: string, ...args: string[]): string {
    const { status, stdout, stderr } = spawnSync('npm', args, { cwd: directory, encoding: 'utf8' });
    expect(status, `npm ${args.join(' ')}\n${stdout}${stderr}`).to.equal(0);
    return stdout;
  }

  function edit(path: string, from: string, to: string): void {
    const text = readFileSync(join(service, path), 'utf8');
    expect(text).to.include(from);
    writeFileSync(
      join(service, path),
      text.replace(from, () => to),
    );
  }

  before(() => {
    service = join(temporaryDirectory(), 'my-library');
    npm(root, 'run', 'new-service', '--', service);
    // In CI as a user would; otherwise with the same packages, without the network.
    if (process.env['CI']) npm(service, 'ci', '--no-audit', '--no-fund');
    else symlinkSync(join(root, 'node_modules'), join(service, 'node_modules'));
  });

  it('creates a service that names no pets in any file', () => {
    const files = readdirSync(service, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !`${entry.parentPath}/`.includes('/node_modules/'))
      .map(({ parentPath, name }) => join(parentPath, name));
    expect(files.length).to.be.greaterThan(150);
    const word = /(?<![a-z])pet(s|store)?(?![a-z])|Pet(s|store)?(?![a-z])|PET(S|STORE)?(?![A-Z])/;
    expect(files.filter((file) => word.test(readFileSync(file, 'utf8')))).to.deep.equal([]);
  });

  it('whose tests and checks pass without an edit', () => {
    expect(npm(service, 'test')).to.match(/ passing/);
    npm(service, 'run', 'check');
  });

  it('that serves an operation that is added to its contract', async () => {
    edit('spec/my-library.yaml', '\ncomponents:', `${greeting}\ncomponents:`);
    edit('src/books/handlers/index.ts', 'createBook: createBook(store),', `createBook: createBook(store),${handler}`);
    edit(
      'src/books/handlers/index.ts',
      '\nimport',
      `\nimport { stringifyJson } from '../../json/exact-json.js';\nimport`,
    );
    npm(service, 'run', 'generate');
    const printed = await npmStart(service);
    const [, token = '', baseUrl = ''] = /Bearer (my_library_live_\w+)" (\S+)\/books/.exec(printed) ?? [];
    const headers = { Authorization: `Bearer ${token}` };
    const response = await fetch(`${baseUrl}/greetings/Emma`, { headers });
    expect(await response.json()).to.deep.equal({ greeting: 'Hello, Emma' });
    expect((await fetch(`${baseUrl}/greetings/0123456789`, { headers })).status).to.equal(400);
    expect((await fetch(`${baseUrl}/greetings/Emma`)).status).to.equal(401);
  });
});
