import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { assertExported, exportedMetrics } from '../support/exported-metrics.js';

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
describe('docs/grafana-dashboard.json', () => {
  let metrics: ReadonlyMap<string, ReadonlySet<string>>;
  before(async () => {
    metrics = await exportedMetrics();
  });

  it('queries only metrics and labels of a running service', () => {
    expect(expressions).to.have.lengthOf.above(20);
    for (const { title, expr } of expressions) expect(assertExported(metrics, expr, title), title).to.not.be.empty;
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
