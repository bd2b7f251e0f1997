import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { Deployment, type IDeployment } from 'kubernetes-models/apps/v1';
import { HorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2';
import { type IIngress, Ingress, NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1';
import { type IService, Service } from 'kubernetes-models/v1';
import supertest from 'supertest';
import { parseAllDocuments } from 'yaml';
import { readConfig, settings } from '#src/config.js';
import { document } from '../support/contract/contract-requests.js';
import { startService } from '../support/servers/service.js';

type Pod = NonNullable<NonNullable<IDeployment['spec']>['template']['spec']>;

const models = { Deployment, Service, Ingress, NetworkPolicy, PodDisruptionBudget, HorizontalPodAutoscaler };
const read = (file: string) => readFile(new URL(`../../../${file}`, import.meta.url), 'utf8');
const manifests = parseAllDocuments(await read('deploy/kubernetes/petstore.yaml')).map(
  (manifest) => manifest.toJS() as { readonly kind: keyof typeof models },
);
const find = (kind: keyof typeof models): object => manifests.find((manifest) => manifest.kind === kind) ?? {};
const pod = (find('Deployment') as IDeployment).spec?.template.spec as Pod;
const container = pod.containers[0] as Pod['containers'][number];
const { startupProbe, livenessProbe, readinessProbe } = container;
const probes = [startupProbe, livenessProbe, readinessProbe].map((probe) => probe?.httpGet);
const paths = (find('Ingress') as IIngress).spec?.rules?.flatMap(({ http }) => http?.paths ?? []) ?? [];
const [servicePort] = (find('Service') as IService).spec?.ports ?? [];

/** Returns an object that behaves like the value, and reports the path of each field that is read. */
function observe<T>(value: T, path: string, onRead: (path: string) => void): T {
  if (typeof value !== 'object' || value === null) return value;
  return new Proxy(value, {
    get(target, name, receiver) {
      onRead(`${path}/${String(name)}`);
      return observe(Reflect.get(target, name, receiver) as unknown, `${path}/${String(name)}`, onRead);
    },
  });
}

function pathsOf(value: unknown, path = ''): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, child]) => [`${path}/${name}`, ...pathsOf(child, `${path}/${name}`)]);
}

describe('the Kubernetes manifests', () => {
  it('conform to the schemas of Kubernetes, and have no field that these do not define', () => {
    expect(manifests.map(({ kind }) => kind)).to.have.members(Object.keys(models));
    for (const manifest of manifests) {
      expect(manifest).to.have.all.keys('apiVersion', 'kind', 'metadata', 'spec');
      const fields = new Set<string>();
      const Model = models[manifest.kind] as unknown as new (value: object) => Deployment;
      const observed = observe(manifest, '', (path) => fields.add(path));
      Object.assign(new Model({}), observed).validate();
      expect([...fields], manifest.kind).to.include.members(pathsOf(manifest));
    }
  });

  it('set only known settings, with valid values, and read the passwords from a secret', async () => {
    const { env = [] } = container;
    expect(Object.values(settings).map(({ name }) => name as string)).to.include.members(env.map(({ name }) => name));
    const values = Object.fromEntries(env.map(({ name, value }) => [name, value ?? '']));
    const { metricsPort } = readConfig({ ...values, DATABASE_URL: 'postgres://db/petstore' }, document);
    const [, port] = /^ENV .*\bPORT=(\d+)/m.exec(await read('Dockerfile')) ?? [];
    expect(container.ports).to.deep.equal([
      { name: 'http', containerPort: Number(port) },
      { name: 'metrics', containerPort: metricsPort },
    ]);
    const secrets = env.filter(({ valueFrom }) => valueFrom?.secretKeyRef !== undefined);
    expect(secrets.map(({ name }) => name)).to.deep.equal(['DATABASE_URL', 'REDIS_URL']);
  });

  it('run the container of compose.yaml without privileges, on a read-only file system', async () => {
    expect([pod.securityContext?.runAsNonRoot, pod.automountServiceAccountToken]).to.deep.equal([true, false]);
    const capabilities = { drop: ['ALL'] };
    const restricted = { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities };
    expect(container.securityContext).to.deep.equal(restricted);
    expect(await read('compose.yaml')).to.contain(`image: ${String(container.image)}\n`);
  });

  it('leave time for the pause before a shutdown and for the shutdown that docs/operations.md states', async () => {
    const [, shutdownSeconds] =
      /graceful shutdown, by default within (\d+) s/.exec(await read('docs/operations.md')) ?? [];
    const pauseSeconds = Number(container.lifecycle?.preStop?.exec?.command?.[1]);
    expect(pauseSeconds).to.be.at.least(3);
    expect(pod.terminationGracePeriodSeconds).to.be.above(pauseSeconds + Number(shutdownSeconds));
  });

  it('probe paths that a service has, and publish the API and its documents, but no health checks', async () => {
    const service = await startService();
    expect(paths.map(({ path }) => path)).to.deep.equal(['/v1', '/docs', '/openapi.json', '/openapi.yaml']);
    for (const probe of probes) {
      expect(probe?.port).to.equal('http');
      await supertest(service.server).get(String(probe?.path)).expect(200);
    }
    expect(servicePort?.targetPort).to.equal('http');
    for (const { path, backend } of paths) {
      const [target, status] = path === '/v1' ? ['/v1/pets', 401] : [String(path), 200];
      await supertest(service.server).get(target).redirects(1).expect(status);
      expect(backend.service).to.deep.equal({ name: 'petstore', port: { name: servicePort?.name } });
    }
  });
});
