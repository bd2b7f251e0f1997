import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect } from 'chai';
import { requireBodyRule } from '#contract-server/bodies/request-body.js';
import { temporaryDirectory } from '#contract-server-test/support/temporary-directory.js';
import { failure, petstore, petstoreJson, success } from '../../support/cli/command-line.js';
import { request } from '../../support/clients/request.js';
import { contract } from '../../support/pet-store.js';
import { useService } from '../../support/servers/service.js';

const { bytesMax } = requireBodyRule(contract, 'createPet');

const rex = '{"name":"Rex","categoryId":7}';
const mia = '{"name":"Mia","categoryId":-3,"status":"sold"}';
const storedRex = '{"id":1,"name":"Rex","categoryId":7,"status":"available"}\n';
const storedMia = '{"id":2,"name":"Mia","categoryId":-3,"status":"sold"}\n';
const seven = '{"id":7,"name":"Rex","categoryId":9223372036854775807,"status":"sold"}\n';
const three = '{"id":3,"name":"Mia","categoryId":-3,"status":"pending"}\n';

describe('petstore pets import', () => {
  let directory: string;
  beforeEach(() => (directory = temporaryDirectory()));

  const importText = (stdin: string | Readable, ...options: string[]) =>
    petstore(['pets', 'import', '-', ...options], { directory, stdin });
  const catalogue = async () => (await petstore(['pets', 'export'], { directory })).stdout;

  it('adds the pets of a file in their order, with the defaults of the contract', async () => {
    const file = join(directory, 'pets.ndjson');
    writeFileSync(file, `${rex}\n${mia}\n`);
    const run = await petstore(['pets', 'import', file], { directory });
    expect(run).to.deep.equal(success('Imported 2 pets in 0.0 s.\n'));
    expect(await catalogue()).to.equal(storedRex + storedMia);
    const summary = await petstoreJson(['pets', 'import', file], { directory });
    expect(summary).to.deep.equal({ validLines: 2, invalidLines: 0, imported: 2, dryRun: false, seconds: 0 });
  });

  const files = { '': 0, '\r\n \n': 0, [`\r\n${rex}\r\n \t\r\n\n${mia}`]: 2 };
  for (const [text, imported] of Object.entries(files))
    it(`imports ${String(imported)} pets from ${JSON.stringify(text)}`, async () => {
      expect(await importText(text)).to.deep.equal(success(`Imported ${String(imported)} pets in 0.0 s.\n`));
    });

  it('splits lines at bytes, regardless of chunk boundaries, and keeps 64-bit integers exact', async () => {
    const text = `{"name":"Žofka 🐈","categoryId":9223372036854775807}\r\n${rex}\r\n`;
    const run = await importText(Readable.from(Array.from(Buffer.from(text), (byte) => Buffer.of(byte))));
    expect(run).to.include({ exitCode: 0, stderr: '' });
    expect(await catalogue()).to.equal(
      `{"id":1,"name":"Žofka 🐈","categoryId":9223372036854775807,"status":"available"}\n${storedRex.replace('1', '2')}`,
    );
  });

  const fix = 'Correct them, or import the others with --keep-going.';
  for (const [options, stdout, expected] of [
    [[], `Invalid lines: 2 of 4. Nothing was imported. ${fix}\n`, ''],
    [['--keep-going'], 'Imported 2 pets in 0.0 s. Invalid lines: 2 of 4.\n', storedRex + storedMia],
    [['--dry-run', '--keep-going'], 'Invalid lines: 2 of 4. Nothing was imported (--dry-run).\n', ''],
  ] as const)
    it(`reports every invalid line, and exits with 1: ${options.join(' ')}`, async () => {
      const text = `${rex}\n{"name":"Rex","categoryId":1.5}\n\n${mia}\n[]\n`;
      const run = await importText(text, ...options);
      expect(run).to.include({ exitCode: 1, stdout });
      expect(run.stderr).to.match(/^Line 2: .*categoryId.*\nLine 5: The line must be a JSON object\.\n$/);
      expect(await catalogue()).to.equal(expected);
    });

  it('suggests --keep-ids if lines have ids', async () => {
    const { stdout } = await importText(storedRex);
    const hint = 'To keep the ids of the lines, use --keep-ids.';
    expect(stdout).to.equal(`Invalid lines: 1 of 1. ${hint} Nothing was imported. ${fix}\n`);
  });

  it('imports nothing if a later chunk has an invalid line, of which only the invalid one is reported', async () => {
    const chunks = [`${rex}\n{"name":"`, Buffer.of(0xff), `","categoryId":1}\n`, `${mia}\n`];
    const run = await importText(Readable.from(chunks.map((chunk) => Buffer.from(chunk))));
    expect(run.stderr).to.equal('Line 2: The line is not valid JSON: invalid UTF-8.\n');
    expect(run.stdout).to.contain('Invalid lines: 1 of 3.');
    expect(await catalogue()).to.equal('');
  });

  it('accepts a line of the maximum body size, and rejects one of a byte more', async () => {
    const longest = rex.padEnd(bytesMax);
    expect(await importText(`${longest}\r\n${longest}\n${longest}`)).to.include({ exitCode: 0, stderr: '' });
    const message = `The line exceeds ${String(bytesMax)} bytes. Shorten it.\n`;
    const text = `${longest} \n${rex}\n${longest} \r\n${longest}\r \n${longest.repeat(3)}`;
    for (const stdin of [text, Readable.from(text.match(/[^]{1,1000}/g)?.map((chunk) => Buffer.from(chunk)) ?? [])]) {
      const { stderr } = await importText(stdin);
      expect(stderr).to.equal([1, 3, 4, 5].map((line) => `Line ${String(line)}: ${message}`).join(''));
    }
  });

  it('escapes control characters of a file', async () => {
    const { stderr } = await importText('{"name":"a","categoryId":1,"\u009b2J":1}\n');
    expect(stderr).to.contain('\\u009b2J').and.not.contain('\u009b');
  });

  it('validates with --dry-run without opening the data', async () => {
    directory = join(directory, 'nowhere');
    const run = await importText(`${rex}\n`, '--dry-run');
    expect(run).to.deep.equal(success('Invalid lines: 0 of 1. Nothing was imported (--dry-run).\n'));
    expect(existsSync(directory)).to.equal(false);
  });

  for (const [command, verb, file, reason] of [
    ['pets import', 'read', 'missing', 'no such file or directory'],
    ['keys import', 'read', 'missing', 'no such file or directory'],
    ['pets import', 'read', '.', 'illegal operation on a directory'],
    ['pets export', 'write', 'missing/file', 'no such file or directory'],
    ['keys export', 'write', '.', 'illegal operation on a directory'],
  ] as const)
    it(`exits with 1 and the reason for \`${command} ${file}\``, async () => {
      await petstore(['migrate'], { directory });
      const path = join(directory, file);
      const run = await petstore([...command.split(' '), path], { directory });
      expect(run).to.deep.equal(failure(`cannot ${verb} ${path}: ${reason}`));
    });

  it('imports an export byte for byte with --keep-ids; new ids continue after the highest', async () => {
    expect(await importText(seven + three, '--keep-ids')).to.deep.equal(success('Imported 2 pets in 0.0 s.\n'));
    expect(await catalogue()).to.equal(three + seven);
    await importText(rex);
    expect(await catalogue()).to.equal(three + seven + storedRex.replace('1', '8'));
  });

  it('imports nothing with --keep-ids if ids exist already or occur twice, and lists them', async () => {
    await importText(seven, '--keep-ids');
    const many = Array.from({ length: 14 }, (_, index) => three.replace('3', String(100 + index)));
    for (const [text, ids] of [
      [three + seven, '7'],
      [three + three + seven, '3, 7'],
      [[...many, ...many].join(''), '100, 101, 102, 103, 104, 105, 106, 107, 108, 109 and 4 more'],
    ] as const) {
      const message = `these ids exist already or occur twice: ${ids}; nothing was imported`;
      expect(await importText(text, '--keep-ids')).to.deep.equal(failure(message));
    }
    expect(await catalogue()).to.equal(seven);
  });

  it('validates pets like createPet with --keep-ids, and ids like the service', async () => {
    const ids = ['0', '-1', '4503599627370497', '9007199254740992', '1.5', '"7"'];
    const lines = [...ids.map((id) => seven.replace('7', id)), seven.replace('"id":7,', ''), seven.replace('Rex', '')];
    const { stderr, exitCode } = await importText(lines.join(''), '--keep-ids');
    const fields = stderr.split('\n').map((line) => /^Line \d+: .*\b(id|name)\b/.exec(line)?.[1]);
    expect(fields).to.deep.equal([...ids.map(() => 'id'), 'id', 'name', undefined]);
    expect(exitCode).to.equal(1);
  });

  it('states in its help for how long creations wait or fail while it moves the pets', async () => {
    const { stdout } = await petstore(['pets', 'import', '--help']);
    expect(stdout).to.contain('With PostgreSQL, creations take up to 1 s longer');
    expect(stdout).to.contain('With SQLite, creations return 503 if it takes longer than 0.6 s');
  });

  it('prints its progress every 10 s if it takes longer than a second', async () => {
    let now = 0;
    const clock = () => (now += 1000);
    const stdin = Readable.from(Array.from({ length: 60 }, () => Buffer.from(`${rex}\n`)));
    const { stderr } = await petstore(['pets', 'import', '-'], { directory, stdin, clock });
    const lines = stderr.split('\n').slice(0, -1);
    expect(lines).to.have.length.within(5, 40);
    for (const line of lines) expect(line).to.match(/^(1 pet|\d+ pets) so far\.$/);
  });
});

/** Lines of an import, and bodies of createPet. */
const bodies: readonly string[] = [
  '{"name":"Rex","categoryId":7,"status":"pending"}',
  '{"categoryId":9223372036854775807,"name":"  a b  "}',
  '{"name":"Rex","categoryId":9223372036854775808}',
  '{"name":"Rex","categoryId":"1"}',
  '{"name":"Rex","categoryId":1,"status":null}',
  '{"id":1,"name":"Rex","categoryId":1}',
  '{"name":"Rex","name":"Mia","categoryId":1}',
  '{"name":" ","categoryId":1}',
  '{"name":"\\ud83d","categoryId":1}',
  `{"name":"${'🐈'.repeat(255)}","categoryId":1}`,
  `{"name":"${'a'.repeat(256)}","categoryId":1}`,
  '[]',
  '{"name":"Rex","categoryId":1',
  '{"name":"Rex","categoryId":1}{}',
  '{"name":"Rex","categoryId":1}'.padEnd(bytesMax),
  '{"name":"Rex","categoryId":1}'.padEnd(bytesMax + 1),
  `${'['.repeat(65)}${']'.repeat(65)}`,
  `[${'0,'.repeat(1000)}0]`,
];

describe('petstore pets import and createPet', () => {
  const service = useService();

  for (const body of bodies)
    it(`agree on ${body.length > 60 ? `${body.slice(0, 60).trim()}…` : body}`, async () => {
      const response = await request(service).post('/v1/pets').type('json').send(body);
      const directory = temporaryDirectory();
      const run = await petstore(['pets', 'import', '-'], { directory, stdin: body });
      if (response.status === 201) {
        const { stdout } = await petstore(['pets', 'export'], { directory });
        expect(run).to.include({ exitCode: 0, stderr: '' });
        expect(stdout.replace('"id":1,', '')).to.equal(`${response.text.replace(/"id":\d+,/, '')}\n`);
      } else {
        const { message } = response.body as { message: string };
        const sameMessage = message.replaceAll('body field', 'field').replace('The body', 'The line');
        expect(run).to.include({ exitCode: 1, stderr: `Line 1: ${sameMessage}\n` });
        expect(response.status).to.be.oneOf([400, 413]);
      }
    });
});
