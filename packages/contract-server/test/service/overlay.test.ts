import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { buildContract, readContract } from '@contract-server/core/load/load-contract.js';
import type { ContractTypes } from '@contract-server/core/types/types.js';
import { closeLater } from '@contract-server/test-support/closing.js';
import { place } from '@contract-server/test-support/contract/contract-errors.js';
import { expectEqualDocuments } from '@contract-server/test-support/contract/equal-documents.js';
import { runTool } from '@contract-server/test-support/run-tool.js';
import { temporaryDirectory } from '@contract-server/test-support/temporary-directory.js';
import { finishCoverage, startCoverage } from '@contract-server/testing/coverage-gate.js';
import { createRequest } from '@contract-server/testing/create-request.js';
import { startService } from '@contract-server/testing/start-service.js';
import { expect } from 'chai';
import express from 'express';
import supertest from 'supertest';
import { ApiError, createRouter, createService } from '#src/index.js';
import { apiReference } from '#src/reference.js';

const { url: contract, directory } = place({
  'contract.yaml': `
openapi: 3.0.4
info: { title: Notes, version: 1.0.0 }
servers: [{ url: https://notes.example/v7 }]
paths:
  /notes:
    post:
      operationId: addNote
      requestBody: { required: true, content: { application/json: { schema: { type: array, items: { type: integer } } } } }
      responses: { "201": { description: Added. } }
`,
  'notes.overlay.yaml': `
overlay: 1.0.0
info: { title: Limits, version: 1.0.0 }
actions:
  - target: $
    update: { x-error-codes: { notes_full: { status: 409 } } }
  - { target: $.servers, update: { url: /api } }
  - target: $.paths['/notes'].post
    update: { x-rate-limit: { requests: 4, seconds: 60 }, requestBody: { x-max-body-values: 3 } }
  - target: $.paths.*.post.responses
    update: { default: { description: An error., content: { application/json: {} } } }
`,
});
const overlay = new URL('notes.overlay.yaml', contract);
const addNote = () => {
  throw new ApiError('notes_full' as 'invalid_request', 'There is no space for another note.');
};
const handlers = { addNote } as object;
const service = createService<ContractTypes>()({
  name: 'notes',
  contract,
  overlay,
  reference: apiReference(),
  create: () => ({ handlers }),
});

describe('a contract with an overlay', () => {
  it('is served by a router with the limits, the codes and the path prefix of the overlay', async () => {
    const path = join(directory, 'notes.overlay.yaml');
    const router = await createRouter<ContractTypes>()({ contract, overlay: path, handlers });
    const server = express().use(router);
    await supertest(server).post('/v7/notes').send([]).expect(404);
    const response = await supertest(server).post('/api/notes').send([1]).expect(409).expect('X-RateLimit-Limit', '4');
    expect(response.body).to.include({ code: 'notes_full', status: 409 });
    await supertest(server).post('/api/notes').send([1, 2, 3, 4]).expect(413);
  });

  it('is served by a service as one document, which includes the changes', async () => {
    const { request, close } = await startService(service);
    closeLater(close);
    await request.post('/api/notes').send([1]).expect(409);
    const json = await request.get('/openapi.json').expect(200);
    expect(json.body).to.have.nested.property('x-error-codes.notes_full.status', 409);
    expect(json.body).to.have.nested.property('paths./notes.post.x-rate-limit.requests', 4);
    expectEqualDocuments(json.text, (await request.get('/openapi.yaml').expect(200)).text);
  });

  it('is tested with the codes of the overlay', async () => {
    const coverageDirectory = join(temporaryDirectory(), 'seen');
    const server = express().use(await createRouter<ContractTypes>()({ contract, overlay, handlers }));
    await startCoverage({ directory: coverageDirectory });
    const request = await createRequest({ contract, overlay, server, coverageDirectory });
    await request.post('/api/notes').send([1]).expect(409);
    const { missing } = await finishCoverage({ contract, overlay, directory: coverageDirectory });
    expect(missing).to.deep.equal(['addNote 201']);
  });

  it('is checked by the build once, until the contract or the overlay changes', async () => {
    const copy = pathToFileURL(join(temporaryDirectory(), 'overlay.yaml'));
    writeFileSync(copy, readFileSync(overlay));
    const checkedContract = pathToFileURL(join(temporaryDirectory(), 'checked.json'));
    await buildContract({ contract, overlay, checkedContract });
    const checked = JSON.parse(readFileSync(checkedContract, 'utf8')) as { document: object };
    checked.document = { ...checked.document, 'x-checked': true };
    writeFileSync(checkedContract, JSON.stringify(checked));
    const isChecked = async (other: URL | undefined) =>
      'x-checked' in (await readContract({ contract, overlay: other, checkedContract })).document;
    expect(await isChecked(copy)).to.equal(true);
    expect(await isChecked(undefined)).to.equal(false);
    writeFileSync(copy, `${readFileSync(overlay, 'utf8')}\n`);
    expect(await isChecked(copy)).to.equal(false);
    await buildContract({ contract, checkedContract });
    expect(await isChecked(overlay)).to.equal(false);
  });

  it('is generated, mocked and compared by the commands with --overlay', async function () {
    this.timeout(60_000);
    const option = ['--overlay', 'notes.overlay.yaml'];
    const generated = await runTool(directory, 'generate', 'contract.yaml', ...option, '--json');
    expect(JSON.parse(generated.stdout)).to.deep.include({
      files: [contract, overlay].map((url) => fileURLToPath(url)),
    });
    expect(readFileSync(join(directory, 'generated/contract.d.ts'), 'utf8')).to.contain('notes_full');
    const stale = await runTool(directory, 'generate', 'contract.yaml', '--check');
    expect(stale.code).to.equal(1);
    const both = ['contract.yaml', 'contract.yaml'];
    const changed = await runTool(directory, 'diff', ...both, ...option);
    expect(changed.stdout).to.contain('x-rate-limit');
    const equal = await runTool(directory, 'diff', ...both, ...option, '--released-overlay', 'notes.overlay.yaml');
    expect(equal).to.deep.include({ code: 0, stdout: '0 changes since 1.0.0.\n' });
    const missing = await runTool(directory, 'mock', 'contract.yaml', '--overlay', 'none.yaml');
    expect(missing.stderr).to.match(/'--overlay <file>'.+cannot be read: no such file/);
  });
});
