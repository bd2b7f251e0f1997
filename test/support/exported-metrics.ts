import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect } from 'chai';
import { sendRaw } from './clients/raw-connection.js';
import { request } from './clients/request.js';
import { corruptDatabase } from './fault-injection.js';
import { readMetrics } from './metrics.js';
import { startService } from './servers/service.js';

/** Every metric that a running service has after a bit of traffic, with its labels. */
export async function exportedMetrics(): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
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

/** Asserts that a PromQL expression uses only these metrics and their labels. Returns the names of those that it uses. */
export function assertExported(
  metrics: ReadonlyMap<string, ReadonlySet<string>>,
  expression: string,
  title: string,
): readonly string[] {
  const names = expression.match(/\b(?:petstore|process|nodejs)_[a-z0-9_]+/g) ?? [];
  expect([...metrics.keys()], title).to.include.members(names);
  const known = names.flatMap((name) => [...(metrics.get(name) ?? [])]);
  expect(['job', 'instance', ...known], title).to.include.members(labelsOf(expression));
  return names;
}

/** The labels that a PromQL expression selects or groups by. */
function labelsOf(expression: string): string[] {
  const selected = [...expression.matchAll(/([a-z]+)(?:=~?|!=)"/g)].map(([, label = '']) => label);
  const grouped = [...expression.matchAll(/by \(([a-z, ]+)\)/g)].flatMap(([, labels = '']) => labels.split(', '));
  return [...selected, ...grouped];
}
