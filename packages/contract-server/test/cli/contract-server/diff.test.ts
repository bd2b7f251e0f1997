import { commandContext, runTool } from '@contract-server/test-support/run-tool.js';
import { directoryWith, ToolProcess } from '@contract-server/test-support/servers/tool-process.js';
import { expect } from 'chai';
import { runTools } from '#src/cli/tools/run-tools.js';
import { contractWith, diff, found, json, properties, released } from './tree-contracts.js';

describe('contract-server diff', function () {
  this.timeout(60_000);

  it('prints a table of the changes, the worst first, and exits with 1 if they break clients', async () => {
    const current = contractWith('1.2.4', { properties, description: 'A node.' });
    const directory = directoryWith({ 'a.yaml': released, 'b.yaml': current });
    const { code, stdout, stderr } = await new ToolProcess(directory, ['diff', 'a.yaml', 'b.yaml']).finish();
    const at = (place: string) => `#/paths/~1trees~1{treeId}/put/${place}/content/application~1json/schema`;
    const [request, response] = [at('requestBody'), at('responses/200')];
    expect(stdout.split('\n')).to.deep.equal([
      'EFFECT        OPERATION  PLACE                CHANGE                        POINTER',
      `breaking      putTree    request body > name  maxLength: 9 -> 8             ${request}/properties/name/maxLength`,
      `non-breaking  putTree    response 200 > name  maxLength: 9 -> 8             ${response}/properties/name/maxLength`,
      `annotation    putTree    request body         description added: "A node."  ${request}/description`,
      `annotation    putTree    response 200         description added: "A node."  ${response}/description`,
      '',
      '4 changes since 1.2.3: 1 breaking, 1 non-breaking, 2 annotations.',
      '',
    ]);
    expect(stderr).to.equal(
      'error: 1 change breaks clients of 1.2.3\nerror: info.version must be at least 2.0.0, and is 1.2.4\n',
    );
    expect(code).to.equal(1);
  });

  it('prints JSON with --json', async () => {
    const { code, stdout } = await diff(released, contractWith('1.3.0', { properties }), '--json');
    expect(code).to.equal(1);
    const { changes, ...rest } = JSON.parse(stdout) as { changes: unknown[] };
    expect(rest).to.deep.equal({
      released: '1.2.3',
      current: '1.3.0',
      problems: [
        'putTree, request body > name: maxLength: 9 -> 8. This breaks clients of 1.2.3.',
        'info.version must be at least 2.0.0, and is 1.3.0.',
      ],
    });
    expect(changes[0]).to.deep.equal({
      effect: 'breaking',
      operation: 'putTree',
      place: 'request body > name',
      change: 'maxLength: 9 -> 8',
      action: 'replace',
      pointer: '#/paths/~1trees~1{treeId}/put/requestBody/content/application~1json/schema/properties/name/maxLength',
      before: 9,
      after: 8,
    });
  });

  it('requires a higher major version for breaking changes, or another path prefix if the prefix is the major version', async () => {
    const removed = {
      paths: { '/trees': { get: { operationId: 'list', responses: { 204: { description: 'None' } } } } },
    };
    const at = (url: string) => ({ servers: [{ url }] });
    const breaks = 'putTree: operation removed. This breaks clients of 1.2.3.';
    const tooLow = 'info.version must be at least 2.0.0, and is 1.3.0.';
    for (const [before, after, version, problems] of [
      ['/', '/', '1.3.0', [breaks, tooLow]],
      ['/', '/', '2.0.0', []],
      ['/api', '/api', '2.0.0', []],
      ['/v1', '/v1', '1.3.0', [breaks, tooLow]],
      ['/v1', '/v1', '2.0.0', [breaks, 'The path prefix of version 2.0.0 is /v1.']],
      ['/v1', '/v2', '2.0.0', []],
      // The prefix is not that of the version, so the version decides.
      ['/v7', '/v7', '2.0.0', []],
    ] as const)
      expect(
        (await found({ ...released, ...at(before) }, contractWith(version, {}, {}, { ...removed, ...at(after) })))
          .problems,
        `${before} ${after} ${version}`,
      ).to.deep.equal(problems);
  });

  it('requires another version if the versions are not numbers', async () => {
    const dated = (version: string, description: string) => contractWith(version, {}, { description });
    expect(await found(dated('2026-01-01', 'Old.'), dated('2026-01-01', 'New.'))).to.deep.equal({
      code: 1,
      problems: ['info.version must change, and is 2026-01-01.'],
      changes: [['annotation', 'putTree', '', 'description: "Old." -> "New."']],
    });
    expect((await found(dated('2026-01-01', 'Old.'), dated('2026-02-01', 'New.'))).code).to.equal(0);
  });

  it('reads contracts of several files, and of OpenAPI 3.0', async () => {
    const { components: _, ...inline } = contractWith(
      '1.2.3',
      {},
      { requestBody: { content: json({ $ref: 'node.yaml' }) }, responses: { 204: { description: 'None' } } },
    );
    const files = {
      'old/contract.yaml': { ...inline, openapi: '3.0.4', paths: inline.paths },
      'old/node.yaml': { type: 'object', properties: { left: { $ref: 'node.yaml' }, size: { type: 'integer' } } },
      'new/contract.yaml': { ...inline, openapi: '3.0.4', info: { title: 'Trees', version: '1.3.0' } },
      'new/node.yaml': { type: 'object', properties: { left: { $ref: 'node.yaml' }, size: { type: 'number' } } },
    };
    const { code, stdout, stderr } = await runTool(
      directoryWith(files),
      'diff',
      'old/contract.yaml',
      'new/contract.yaml',
    );
    expect({ code, stderr }).to.deep.equal({ code: 0, stderr: '' });
    expect(stdout).to.contain('non-breaking  putTree    request body > size  type: "integer" -> "number"');
  });

  it('allows the removal of an operation from its x-sunset on', async () => {
    const old = contractWith(
      '1.2.3',
      {},
      { deprecated: true, 'x-deprecated-at': '2030-01-01', 'x-sunset': '2030-12-05' },
    );
    const paths = { '/trees': { get: { operationId: 'list', responses: { 204: { description: 'None' } } } } };
    const directory = directoryWith({ 'a.yaml': old, 'b.yaml': contractWith('1.3.0', {}, {}, { paths }) });
    for (const [time, code] of [
      ['2030-12-04T23:59:59Z', 1],
      ['2030-12-05T00:00:00Z', 0],
    ] as const) {
      const context = commandContext({ clock: () => Date.parse(time) });
      const files = ['a.yaml', 'b.yaml'].map((name) => `${directory}/${name}`);
      expect(await runTools(['diff', ...files], context), context.stderr.text).to.equal(code);
    }
  });

  it('colors effects on a terminal, unless NO_COLOR is set', async () => {
    const directory = directoryWith({ 'a.yaml': released, 'b.yaml': contractWith('1.3.0', { properties }) });
    const printed = async (env: Record<string, string>) => {
      const context = commandContext({ env });
      for (const output of [context.stdout, context.stderr]) Object.assign(output, { isTTY: true });
      await runTools(['diff', `${directory}/a.yaml`, `${directory}/b.yaml`], context);
      return { stdout: context.stdout.text, stderr: context.stderr.text };
    };
    const colored = await printed({});
    expect(colored.stdout).to.contain('\n\u001B[31mbreaking\u001B[39m      putTree ');
    // The progress is cleared.
    expect(colored.stderr).to.match(
      /^Comparing the contracts…\r\u001B\[Kerror: 1 change breaks clients of 1\.2\.3\nerror: info\.version must be at least 2\.0\.0, and is 1\.3\.0\n$/,
    );
    expect((await printed({ NO_COLOR: '1' })).stdout).to.not.contain('\u001B');
  });

  it('exits with 1 for an invalid contract, and with 2 for invalid arguments', async () => {
    const invalid = await diff(released, { openapi: '2.0.0' });
    const line = 'b.yaml:1:1 OpenAPI 2.0.0 is not supported; use 3.0, 3.1 or 3.2.\n';
    expect(invalid).to.deep.equal({ code: 1, stdout: '', stderr: line });
    const directory = directoryWith({ 'a.yaml': released });
    for (const [args, message] of [
      [['a.yaml'], "missing required argument 'current'"],
      [
        ['a.yaml', 'c.yaml'],
        "command-argument value 'c.yaml' is invalid for argument 'current'; it cannot be read: no such file or directory",
      ],
      [['a.yaml', 'a.yaml', '--jsn'], "unknown option '--jsn'; did you mean --json?"],
    ] as const)
      expect(await runTool(directory, 'diff', ...args)).to.deep.equal({
        code: 2,
        stdout: '',
        stderr: `error: ${message}\n`,
      });
  });
});
