import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { printable } from '@contract-server/core/lib/printable.js';
import { packedNames } from '@contract-server/test-support/packed-packages.js';
import { runTool } from '@contract-server/test-support/run-tool.js';
import { directoryWith, ToolProcess } from '@contract-server/test-support/servers/tool-process.js';
import { expect } from 'chai';

/** Begins with a command of GitHub, contains one of Azure, and each kind of character that a terminal acts on. */
const hostile =
  '::error::a\n::warning::b\n\t::add-mask::c ##[error]d ##vso[task.complete]e\u001b[31m\u009b\u007f\u2028\u202e\u2066';
const unsafe = /[\p{Cc}\u2028\u2029\u202A-\u202E\u2066-\u2069]|##(?:vso)?\[/u;
const responses = { 200: { description: 'Done.' } };
const info = { title: hostile, version: hostile };
const contractOf = (
  changes: object,
  paths: object = { [`/${hostile}`]: { get: { operationId: hostile, responses } } },
) => ({
  openapi: '3.1.1',
  info,
  paths,
  ...changes,
});
const valid = contractOf({ components: { schemas: { A: { format: hostile } } } });
const invalid = contractOf({ components: { schemas: { A: { type: hostile }, B: { $ref: hostile } } } });
const file = `${hostile.replaceAll('/', '')}.yaml`;

function expectPrintable(...outputs: readonly string[]): void {
  for (const line of outputs.join('\n').split('\n')) {
    expect(line).to.not.match(unsafe);
    expect(line).to.not.match(/^\s*::/);
  }
}

/** Take the place of the packed library. */
const packed = Object.fromEntries(packedNames().map((name) => [name, '']));

describe('the text that contract-server prints', function () {
  // It loads the TypeScript compiler.
  this.timeout(60_000);

  for (const [text, allowed, printed] of [
    ['a\u001b[31m\u0085\u007f\r\n', undefined, String.raw`a\u001b[31m\u0085\u007f\u000d\u000a`],
    ['a\n\u2029\u202e\u2069\ud800', '\n', `a\n${String.raw`\u2029\u202e\u2069\ud800`}`],
    ['::error::a', undefined, String.raw`\u003a:error::a`],
    ['a\n \u00a0::error::b ::c', '\n', `a\n \u00a0${String.raw`\u003a:error::b ::c`}`],
    ['a ##[group]b ##vso[x]c ## [d] #[e]', undefined, String.raw`a #\u0023[group]b #\u0023vso[x]c ## [d] #[e]`],
  ] as const)
    it(`is escaped as in JSON: ${JSON.stringify(printed)}`, () => {
      expect(printable(text, allowed)).to.equal(printed);
    });

  it('is JSON with the same values for JSON', () => {
    expect(
      JSON.parse(printable(JSON.stringify({ [hostile]: [hostile, '\\##[a]'] }, undefined, 2), '\n')),
    ).to.deep.equal({
      [hostile]: [hostile, '\\##[a]'],
    });
  });

  for (const [title, args, exitCode] of [
    ['warnings', ['generate', file], 0],
    ['errors', ['generate', 'invalid.yaml'], 1],
    ['a file that is not YAML', ['generate', `wrong-${file}`], 1],
    ['an output', ['generate', file, '--output', file, '--check'], 1],
    ['an output that is a folder', ['generate', file, '--output', '.'], 1],
    ['JSON', ['generate', file, '--json'], 0],
    ['JSON with an error', ['generate', 'invalid.yaml', '--json'], 1],
    ['changes', ['diff', file, 'changed.yaml'], 1],
    ['changes in JSON', ['diff', file, 'changed.yaml', '--json'], 1],
    ['a missing file', ['generate', hostile], 2],
    ['an unknown option', ['generate', `--${hostile}`], 2],
    ['an unknown command', [hostile], 2],
    ['the name of a folder', ['new', hostile], 2],
    ['a name', ['new', 'a', '--name', hostile], 2],
    ['a folder', ['new', hostile, '--name', 'a', '--packages', '.'], 0],
  ] as const)
    it(`has no control characters and no commands for the log of a workflow: ${title}`, async () => {
      const directory = directoryWith({
        [file]: valid,
        [`wrong-${file}`]: `a: [\n${hostile}`,
        'invalid.yaml': invalid,
        ...packed,
        'changed.yaml': contractOf({}, { [`/${hostile}`]: { post: { responses } } }),
      });
      const { code, stdout, stderr } = await runTool(directory, ...args);
      expectPrintable(stdout, stderr);
      expect({ code, stderr }).to.deep.equal({ code: exitCode, stderr });
      if (args.includes('--json' as never) && code === 0) JSON.parse(stdout);
    });

  it('has the values of the contract in JSON', async () => {
    const { stdout } = await runTool(directoryWith({ [file]: valid }), 'generate', file, '--json');
    const { files } = JSON.parse(stdout) as { files: string[] };
    expect(files[0]?.endsWith(file)).to.equal(true);
  });

  it('has none in the announcement and the log of a mock', async () => {
    const mock = new ToolProcess(directoryWith({ [file]: valid }), ['mock', file]);
    const [announcement] = await mock.prints('stderr', /[^]* is at http[^]*\n\n$/);
    mock.kill('SIGTERM');
    const { stdout, stderr } = await mock.finish();
    expectPrintable(announcement, stdout, stderr);
  });

  it('is one line in the header of a generated file', async () => {
    const directory = directoryWith({ [file]: valid });
    expect((await runTool(directory, 'generate', file)).code).to.equal(0);
    const [header = '', next] = readFileSync(join(directory, 'generated/contract.d.ts'), 'utf8').split('\n');
    expect(header).to.match(/^\/\/ Generated from .+\.yaml by `contract-server generate`\. Not to be edited\.$/);
    expectPrintable(header);
    expect(next).to.match(/^(?:\/\*\*|export|$)/);
  });
});
