import { readFile } from 'node:fs/promises';
import { sendRaw } from '@contract-server/test-support/clients/raw-connection.js';
import { corruptDatabase } from '@contract-server/test-support/fault-injection.js';
import { readMetrics } from '@contract-server/test-support/metrics.js';
import { expect } from 'chai';
import { parse } from 'yaml';
import { request } from '../support/clients/request.js';
import { operations as declared } from '../support/contract/document.js';
import { createPet } from '../support/pets.js';
import { useService } from '../support/servers/service.js';

interface AlertRule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly description: string };
}

const read = (name: string) => readFile(new URL(`../../../docs/${name}`, import.meta.url), 'utf8');
const operations = await read('operations.md');
const dashboard = await read('grafana-dashboard.json');
const { panels } = JSON.parse(dashboard) as { panels: { title: string; targets: { expr: string }[] }[] };
const alerts = parse(await read('prometheus-alerts.yaml')) as { groups: { rules: AlertRule[] }[] };
const rules = alerts.groups.flatMap((group) => group.rules);
const expressions = [
  ...rules.map(({ alert, expr }) => [alert, expr] as const),
  ...panels.flatMap(({ title, targets }) => targets.map(({ expr }) => [title, expr] as const)),
];

describe('the alert rules and the dashboard', () => {
  const service = useService({ METRICS_PORT: '0' });
  /** Every metric that the service has after some traffic, with its labels. */
  const metrics = new Map<string, readonly string[]>();
  before(async () => {
    await createPet(service);
    await sendRaw(service, 'nonsense\r\n\r\n');
    corruptDatabase(service);
    await request(service).get('/v1/pets').expect(503);
    for (const sample of (await readMetrics(service.metricsUrl)).keys()) {
      const labels = Array.from(sample.matchAll(/([a-z]+)="/g), ([, label = '']) => label);
      metrics.set(sample.split('{')[0] ?? '', labels);
    }
  });

  it('use only metrics and labels of a running service', () => {
    expect(expressions).to.have.lengthOf.above(20);
    for (const [title, expression] of expressions) {
      const names = expression.match(/\b(?:petstore|process|nodejs)_[a-z0-9_]+/g) ?? [];
      expect([...metrics.keys()], title).to.include.members(names).and.not.be.empty;
      const selected = Array.from(expression.matchAll(/([a-z]+)(?:=~?|!=|!~)"/g), ([, label = '']) => label);
      const grouped = Array.from(expression.matchAll(/(?:by|on) \(([a-z, ]+)\)/g), ([, labels = '']) => labels);
      const known = names.flatMap((name) => metrics.get(name) ?? []);
      expect(['job', 'instance', ...known], title).to.include.members(
        [...selected, ...grouped.join(', ').split(', ')].filter((label) => label !== ''),
      );
    }
  });

  it('use only operations that exist', () => {
    const known = [...declared.map(({ operation }) => operation.operationId), 'documents', 'health', 'unknown'];
    for (const [title, expression] of expressions) {
      for (const [, names = ''] of expression.matchAll(/operation!~"([^"]+)"/g))
        expect(known, title).to.include.members(names.split('|'));
    }
  });

  it('report each node that cannot be scraped, and the number of bans, not of keys', () => {
    const ruleWith = (part: string) => rules.find(({ expr }) => expr.includes(part));
    expect(ruleWith('up == 0')?.expr).to.match(/^up == 0 and on \(job, instance\) .*petstore_build_info/);
    expect(ruleWith('petstore_bans_total')?.annotations.summary).to.match(/^API keys were banned {{.*}} times /);
  });

  it('show every metric of the service, each of which docs/operations.md lists', () => {
    const own = [...metrics.keys()].filter((name) => name.startsWith('petstore_'));
    for (const family of new Set(own.map((name) => name.replace(/_(bucket|sum|count)$/, '')))) {
      expect(dashboard).to.contain(family);
      expect(operations).to.contain(`\`${family}\``);
    }
  });

  it('have a severity, a summary and a description for each rule, and do not depend on the name of the job', () => {
    for (const { alert, expr, labels, annotations } of rules) {
      expect(labels.severity, alert).to.be.oneOf(['critical', 'warning']);
      expect(annotations.summary, alert).to.match(/\.$/);
      // A whole sentence that says what to do.
      expect(annotations.description, alert).to.match(/^[A-Z].{20,}\.$/);
      expect(expr).to.not.contain('job=');
    }
  });
});
