import { expect } from 'chai';
import { petstore, type Run } from '../../support/cli/command-line.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

const seven = '{"id":7,"name":"Rex","categoryId":9223372036854775807,"status":"sold"}\n';
const three = '{"id":3,"name":"Mia","categoryId":-3,"status":"pending"}\n';

describe('petstore pets import --keep-ids', () => {
  let directory: string;
  beforeEach(() => {
    directory = temporaryDirectory();
  });

  const importText = (text: string, ...options: string[]): Promise<Run> =>
    petstore(['pets', 'import', '-', ...options], { directory, stdin: text });
  const catalogue = async () => (await petstore(['pets', 'export'], { directory })).stdout;

  it('imports an export byte for byte; new ids continue after the highest', async () => {
    expect(await importText(seven + three, '--keep-ids')).to.deep.equal({
      exitCode: 0,
      stdout: 'Imported 2 pets in 0.0 s.\n',
      stderr: '',
    });
    expect(await catalogue()).to.equal(three + seven);
    await importText('{"name":"Ada","categoryId":1}');
    expect(await catalogue()).to.equal(`${three}${seven}{"id":8,"name":"Ada","categoryId":1,"status":"available"}\n`);
  });

  it('imports nothing if ids exist already or occur twice, and lists them', async () => {
    await importText(seven, '--keep-ids');
    const message = (ids: string) => ({
      exitCode: 1,
      stdout: '',
      stderr: `These ids exist already or occur twice: ${ids}. Nothing was imported.\n`,
    });
    expect(await importText(three + seven, '--keep-ids')).to.deep.equal(message('7'));
    expect(await importText(three + three + seven, '--keep-ids')).to.deep.equal(message('3, 7'));
    const many = Array.from({ length: 14 }, (_, index) => three.replace('3', String(100 + index)));
    expect(await importText([...many, ...many].join(''), '--keep-ids')).to.deep.equal(
      message('100, 101, 102, 103, 104, 105, 106, 107, 108, 109 and 4 more'),
    );
    expect(await catalogue()).to.equal(seven);
  });

  it('validates pets like createPet, and ids like the service', async () => {
    const ids = ['0', '-1', '4503599627370497', '9007199254740992', '1.5', '"7"'];
    const run = await importText(
      [...ids.map((id) => seven.replace('7', id)), seven.replace('"id":7,', ''), seven.replace('"Rex"', '""')].join(''),
      '--keep-ids',
    );
    const idFault = 'Field id must be an integer from 1 to 4503599627370496.';
    expect(run.stderr).to.equal(
      [
        ...ids.map(() => idFault),
        'Field id is required.',
        'Field name must have at least one visible character, and no control characters.',
      ]
        .map((fault, index) => `Line ${String(index + 1)}: ${fault}\n`)
        .join(''),
    );
    expect(await catalogue()).to.equal('');
  });
});
