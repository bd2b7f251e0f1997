import { loadDocument } from '@contract-server/core/load/load-document.js';
import type { ContractTypes } from '@contract-server/core/types/types.js';
import { closeLater } from '@contract-server/test-support/closing.js';
import { place } from '@contract-server/test-support/contract/contract-errors.js';
import { anyJson, echoContract } from '@contract-server/test-support/contract/echo-app.js';
import { startService, type TestedService } from '@contract-server/testing';
import { expect } from 'chai';
import { createService } from '#src/index.js';
import { apiReference } from '#src/reference.js';

const own = ['/', '/docs', '/docs/viewer.js', '/openapi.yaml', '/openapi.json', '/healthz', '/readyz'];
const get = (operationId: string, parameters: readonly object[] = []) => ({
  get: { operationId, parameters, responses: anyJson },
});
const id = { in: 'path', name: 'id', required: true, schema: { type: 'string' } };

async function serve(paths: object): Promise<TestedService> {
  const { url } = place({ 'contract.yaml': echoContract([], '/x', { paths }) });
  const ids = Object.values(paths).map(({ get: { operationId } }: ReturnType<typeof get>) => operationId);
  const served = (name: string) => () => Promise.resolve({ status: 200, body: { name } });
  const handlers = Object.fromEntries(ids.map((name) => [name, served(name)])) as object;
  const service = createService<ContractTypes>()({
    name: 'own',
    contract: url,
    reference: apiReference(),
    create: () => ({ handlers }),
  });
  const started = await startService(service);
  closeLater(() => started.close());
  return started;
}

describe('the paths of the server itself', () => {
  it('are those of the contract if it declares them', async () => {
    const { request } = await serve(Object.fromEntries(own.map((path) => [path, get(path)])));
    for (const path of own) {
      await request.get(path).expect(200, { name: path });
      await request.post(path).expect(405);
    }
  });

  it('stay those of the server if only a template of the contract matches them', async () => {
    const { request } = await serve({ '/{id}': get('any', [id]) });
    await request.get('/other').expect(200, { name: 'any' });
    await request.get('/healthz').expect(200, /alive/);
    await request.get('/docs').expect(200, /<!doctype html>/);
    await request.get('/').expect(302);
  });

  it('are reported as served by the contract', async () => {
    const { url } = place({ 'contract.yaml': echoContract([], '/healthz', {}) });
    const { warnings } = await loadDocument(url);
    expect(warnings).to.have.length(1);
    expect(warnings[0]).to.match(
      /contract\.yaml:\d+:\d+ \/healthz: The path \/healthz is served by the contract; the health check is served on METRICS_PORT only\.$/,
    );
  });
});
