import { readFile } from 'node:fs/promises';
import { parser } from '@prometheus-io/lezer-promql';
import { expect } from 'chai';
import { parse } from 'yaml';
import { operationIdsOf } from '#src/openapi/document.js';
import { contractUrl, readContract } from '#src/openapi/load-contract.js';
import { assertExported, exportedMetrics } from '../support/exported-metrics.js';

interface AlertRule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string };
}

const docs = new URL('../../../docs/', import.meta.url);

describe('docs/prometheus-alerts.yaml', () => {
  let rules: readonly AlertRule[];
  before(async () => {
    const text = await readFile(new URL('prometheus-alerts.yaml', docs), 'utf8');
    rules = (parse(text) as { readonly groups: readonly { readonly rules: readonly AlertRule[] }[] }).groups.flatMap(
      (group) => group.rules,
    );
    expect(rules).to.have.lengthOf.above(8);
  });

  it('contains only valid PromQL', () => {
    for (const { alert, expr } of rules) {
      const invalid: string[] = [];
      parser.parse(expr).iterate({
        enter: ({ type, from, to }) => {
          if (type.isError) invalid.push(expr.slice(from, to) || `after ${expr.slice(0, from)}`);
        },
      });
      expect(invalid, alert).to.deep.equal([]);
    }
  });

  it('uses only metrics, labels and operations of a running service', async () => {
    const metrics = await exportedMetrics();
    const { document } = await readContract(contractUrl);
    for (const { alert, expr } of rules) {
      assertExported(metrics, expr, alert);
      for (const [, operation] of expr.matchAll(/operation!?="(\w+)"/g))
        expect(['none', ...operationIdsOf(document)], alert).to.include(operation);
    }
  });

  it('has a severity and a summary for each rule, and a runbook in docs/operations.md', async () => {
    const operations = await readFile(new URL('operations.md', docs), 'utf8');
    for (const { alert, labels, annotations } of rules) {
      expect(labels.severity, alert).to.be.oneOf(['critical', 'warning']);
      expect(annotations.summary, alert).to.match(/\.$/);
      expect(operations).to.contain(`| \`${alert}\``);
    }
  });
});
