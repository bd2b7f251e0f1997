import { readdir, readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { Deployment, type IDeployment } from 'kubernetes-models/apps/v1';
import { HorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2';
import { type IIngress, Ingress } from 'kubernetes-models/networking.k8s.io/v1';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1';
import { type IService, Service } from 'kubernetes-models/v1';
import supertest from 'supertest';
import { parseAllDocuments } from 'yaml';
import { readConfig, settings } from '#src/config.js';
import { contractUrl, readContract } from '#src/openapi/load-contract.js';
import { closeService, startService, type TestService } from '../support/servers/service.js';

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
}

const root = new URL('../../../', import.meta.url);
const models = { Deployment, Service, Ingress, PodDisruptionBudget, HorizontalPodAutoscaler };

async function readManifests(): Promise<Manifest[]> {
  const directory = new URL('deploy/kubernetes/', root);
  const texts = await Promise.all((await readdir(directory)).map((file) => readFile(new URL(file, directory), 'utf8')));
  return texts.flatMap((text) => parseAllDocuments(text).map((document) => document.toJS() as Manifest));
}

/** Returns an object that behaves like the value, and reports the path of each field that is read. */
function observe<T>(value: T, path: string, onRead: (path: string) => void): T {
  if (typeof value !== 'object' || value === null) return value;
  return new Proxy(value, {
    get(target, name, receiver) {
      const field = `${path}/${String(name)}`;
      onRead(field);
      return observe(Reflect.get(target, name, receiver) as unknown, field, onRead);
    },
  });
}

function pathsOf(value: unknown, path = ''): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, child]) => [`${path}/${name}`, ...pathsOf(child, `${path}/${name}`)]);
}

describe('the Kubernetes manifests', () => {
  const manifests: Manifest[] = [];
  let container: NonNullable<NonNullable<IDeployment['spec']>['template']['spec']>['containers'][number];
  let pod: NonNullable<NonNullable<IDeployment['spec']>['template']['spec']>;
  before(async () => {
    manifests.push(...(await readManifests()));
    pod = (find('Deployment') as IDeployment).spec?.template.spec as typeof pod;
    container = pod.containers[0] as typeof container;
  });

  const find = (kind: keyof typeof models): object => manifests.find((manifest) => manifest.kind === kind) ?? {};

  it('conform to the schemas of Kubernetes, and have no field that these do not define', () => {
    expect(manifests.map(({ kind }) => kind)).to.have.members(Object.keys(models));
    for (const manifest of manifests) {
      expect(manifest).to.have.all.keys('apiVersion', 'kind', 'metadata', 'spec');
      const read = new Set<string>();
      const Model = models[manifest.kind as keyof typeof models] as unknown as new (value: object) => Deployment;
      const observed = observe(manifest, '', (path) => read.add(path));
      Object.assign(new Model({}), observed).validate();
      expect(
        pathsOf(manifest).filter((path) => !read.has(path)),
        manifest.kind,
      ).to.deep.equal([]);
    }
  });

  it('set only known settings, with valid values', async () => {
    const env = Object.fromEntries((container.env ?? []).map(({ name, value }) => [name, value ?? '']));
    expect(Object.values(settings).map(({ name }) => name as string)).to.include.members(Object.keys(env));
    const { document } = await readContract(contractUrl);
    const { metricsPort } = readConfig({ ...env, DATABASE_URL: 'postgres://db/petstore' }, document);
    const image = /^ENV .*\bPORT=(\d+)/m.exec(await readFile(new URL('Dockerfile', root), 'utf8'));
    expect(container.ports).to.deep.equal([
      { name: 'http', containerPort: Number(image?.[1]) },
      { name: 'metrics', containerPort: metricsPort },
    ]);
  });

  it('read the passwords from a secret', () => {
    const secrets = (container.env ?? []).filter(({ valueFrom }) => valueFrom?.secretKeyRef !== undefined);
    expect(secrets.map(({ name }) => name)).to.deep.equal(['DATABASE_URL', 'REDIS_URL']);
  });

  it('run the container without privileges, on a read-only file system', async () => {
    expect(pod.securityContext?.runAsNonRoot).to.equal(true);
    expect(pod.automountServiceAccountToken).to.equal(false);
    expect(container.securityContext).to.deep.equal({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    expect(container.image).to.equal(
      /image: (petstore:\S+)/.exec(await readFile(new URL('compose.yaml', root), 'utf8'))?.[1],
    );
  });

  it('leave time for the pause before a shutdown and for the shutdown that docs/operations.md states', async () => {
    const operations = await readFile(new URL('docs/operations.md', root), 'utf8');
    const shutdownSeconds = Number(/graceful shutdown within (\d+) s/.exec(operations)?.[1]);
    const pauseSeconds = Number(container.lifecycle?.preStop?.exec?.command?.[1]);
    expect(pauseSeconds).to.be.at.least(3);
    expect(pod.terminationGracePeriodSeconds).to.be.above(pauseSeconds + shutdownSeconds);
  });

  describe('on a running service', () => {
    let service: TestService;
    before(async () => (service = await startService()));
    after(() => closeService(service));

    it('probe paths that return 200, on the port of the API', async () => {
      for (const probe of [container.startupProbe, container.livenessProbe, container.readinessProbe]) {
        expect(probe?.httpGet?.port).to.equal('http');
        await supertest(service.server)
          .get(probe?.httpGet?.path ?? '')
          .expect(200);
      }
    });

    it('publish the API and its documents, but no health checks', async () => {
      const { spec } = find('Ingress') as IIngress;
      const paths = spec?.rules?.flatMap(({ http }) => http?.paths ?? []) ?? [];
      expect(paths.map(({ path }) => path)).to.deep.equal(['/v1', '/docs', '/openapi.json', '/openapi.yaml']);
      for (const { path = '' } of paths) {
        const { status } = await supertest(service.server)
          .get(path === '/v1' ? '/v1/pets' : path)
          .redirects(1);
        expect(status, path).to.equal(path === '/v1' ? 401 : 200);
      }
    });

    it('route published requests to the port of the API', () => {
      const [port] = (find('Service') as IService).spec?.ports ?? [];
      expect(port?.targetPort).to.equal('http');
      const { spec } = find('Ingress') as IIngress;
      for (const { backend } of spec?.rules?.flatMap(({ http }) => http?.paths ?? []) ?? []) {
        expect(backend.service).to.deep.equal({ name: 'petstore', port: { name: port?.name } });
      }
    });
  });
});
