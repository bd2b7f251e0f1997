import { readFile } from 'node:fs/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect } from 'chai';
import { sendRaw } from '../support/clients/raw-connection.js';
import { request } from '../support/clients/request.js';
import { corruptDatabase } from '../support/fault-injection.js';
import { readMetrics } from '../support/metrics.js';
import { startService } from '../support/servers/service.js';

interface Panel {
  readonly title: string;
  readonly targets?: readonly { readonly expr: string }[];
}

const docs = new URL('../../../docs/', import.meta.url);
const dashboard = JSON.parse(await readFile(new URL('grafana-dashboard.json', docs), 'utf8')) as {
  readonly panels: readonly Panel[];
  readonly templating: { readonly list: readonly { readonly name: string; readonly query: unknown }[] };
};
const expressions = dashboard.panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ title, expr })));
const metricName = /\b(?:petstore|process|nodejs)_[a-z0-9_]+/g;
/** What Prometheus adds to whatever it reads. */
const targetLabels = ['job', 'instance'];

/** Every metric that a running service has after a bit of traffic, with its labels. */
async function exportedMetrics(): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const service = await startService({ METRICS_PORT: '0' });
  await request(service).post('/v1/pets').send({ name: 'Rex', categoryId: 7 }).expect(201);
  await sendRaw(service, 'nonsense\r\n\r\n');
  corruptDatabase(service);
  await request(service).get('/v1/pets').expect(503);
  collectGarbage();
  // The last request is counted a moment after its client has the response.
  const values = await readMetrics(service.metricsUrl);
  await service.close();
  const metrics = new Map<string, Set<string>>();
  for (const sample of values.keys()) {
    const [name = ''] = sample.split('{');
    const labels = metrics.get(name) ?? new Set();
    for (const [, label = ''] of sample.matchAll(/([a-z]+)="/g)) labels.add(label);
    metrics.set(name, labels);
  }
  return metrics;
}

/** Without it, the metrics of the garbage collector may be missing. */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}

describe('docs/grafana-dashboard.json', () => {
  let metrics: ReadonlyMap<string, ReadonlySet<string>>;
  before(async () => {
    metrics = await exportedMetrics();
  });

  it('queries only metrics and labels of a running service', () => {
    expect(expressions).to.have.lengthOf.above(20);
    for (const { title, expr } of expressions) {
      const names = expr.match(metricName) ?? [];
      expect(names, title).to.not.be.empty;
      for (const name of names) expect([...metrics.keys()], title).to.include(name);
      const known = new Set([...targetLabels, ...names.flatMap((name) => [...(metrics.get(name) ?? [])])]);
      const selected = [...expr.matchAll(/([a-z]+)(?:=~?|!=)"/g)].map(([, label]) => label);
      const grouped = [...expr.matchAll(/by \(([a-z, ]+)\)/g)].flatMap(([, labels = '']) => labels.split(', '));
      expect([...known], title).to.include.members([...selected, ...grouped]);
    }
  });

  it('shows every metric of the service, each of which docs/operations.md explains', async () => {
    const operations = await readFile(new URL('operations.md', docs), 'utf8');
    const queries = expressions.map(({ expr }) => expr).join('\n');
    const families = [...metrics.keys()]
      .filter((name) => name.startsWith('petstore_'))
      .map((name) => name.replace(/_(bucket|sum|count)$/, ''));
    for (const family of new Set(families)) {
      expect(queries).to.contain(family);
      expect(operations).to.contain(`\`${family}\``);
    }
  });

  it('uses only variables that it defines', () => {
    const names = [...dashboard.templating.list.map(({ name }) => name), '__rate_interval'];
    const used = [...JSON.stringify(dashboard).matchAll(/\$\{?([a-z_]+)/g)].map(([, name]) => name);
    expect([...names, '__all']).to.include.members(used);
  });
});
