import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { Deployment, type IDeployment } from 'kubernetes-models/apps/v1';
import { HorizontalPodAutoscaler, type IHorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2';
import { type IIngress, type INetworkPolicy, Ingress, NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1';
import { type IService, Service } from 'kubernetes-models/v1';
import supertest from 'supertest';
import { parse, parseAllDocuments } from 'yaml';
import { readConfig, settingList } from '../support/pet-store.js';
import { startService } from '../support/servers/service.js';

type Pod = NonNullable<NonNullable<IDeployment['spec']>['template']['spec']>;

interface ComposeService {
  readonly environment?: Readonly<Record<string, string>>;
  readonly networks: Readonly<Record<string, { readonly ipv4_address?: string } | null>>;
  readonly ports?: readonly string[];
  readonly stop_grace_period: string;
  readonly read_only: boolean;
  readonly cap_drop: readonly string[];
  readonly security_opt: readonly string[];
}

const read = (file: string) => readFile(new URL(`../../../${file}`, import.meta.url), 'utf8');
const [compose, nginx] = [await read('compose.yaml'), await read('deploy/nginx.conf')];
const unit = await read('deploy/petstore.service');
const { services } = parse(compose, { merge: true }) as { readonly services: Record<string, ComposeService> };
const nodes = Object.entries(services).flatMap(([name, node]) => (name.startsWith('petstore-') ? [node] : []));
const known = settingList.map(({ name }) => name);
const valueOf = (name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(unit)?.[1];
/** `${NAME:-a default}` and `${NAME:?what is missing}` as Compose reads them, with a value for what has none. */
const filled = (text: string) =>
  text.replace(/\$\{\w+:([-?])([^}]*)\}/g, (_, kind: string, word: string) => (kind === '-' ? word : 'x'));

const models = { Deployment, Service, Ingress, NetworkPolicy, PodDisruptionBudget, HorizontalPodAutoscaler };
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

describe('compose.yaml and deploy/nginx.conf', () => {
  it('define three nodes, which the load balancer uses', () => {
    const found = [...nginx.matchAll(/^ *server ([\d.]+):(\d+)/gm)].map(([, address, port]) => [address, port]);
    expect(found).to.deep.equal(nodes.map(({ networks }) => [networks['inside']?.ipv4_address, '8080']));
    expect(nodes).to.have.lengthOf(3);
  });

  it('set only known settings, all that several nodes need, and no secret', () => {
    for (const [line] of compose.matchAll(/^.*(?:PASSWORD|REDISCLI_AUTH|REDIS_URL): .*$/gm))
      expect(line).to.match(/\$\{\w+:\?/);
    for (const { environment = {} } of nodes) {
      expect([...known, 'PGPASSWORD']).to.include.members(Object.keys(environment));
      const env = Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, filled(value)]));
      const { databaseUrl, redis, trustProxy, metricsPort } = readConfig(env);
      const stores = ['postgres://petstore@postgres:5432/petstore', 'redis://redis:6379/0'];
      expect([databaseUrl, redis?.description, trustProxy, metricsPort]).to.deep.equal([...stores, 1, 9464]);
    }
  });

  it('pass every setting that .env.example has, except those of the containers', () => {
    const ofContainers = ['HOST', 'PORT', 'DATA_DIR', 'DATABASE_URL', 'REDIS_URL', 'METRICS_HOST', 'METRICS_PORT'];
    const names = settingList.map(({ name }) => name).filter((name) => !ofContainers.includes(name));
    for (const { environment = {} } of nodes)
      for (const name of names) expect(environment[name], name).to.match(new RegExp(`^\\$\\{${name}:-.*\\}$`));
  });

  it('restrict every container, and publish only the load balancer', () => {
    for (const [name, { read_only, cap_drop, security_opt, ports, networks }] of Object.entries(services)) {
      const restricted = { read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] };
      expect({ read_only, cap_drop, security_opt }, name).to.deep.equal(restricted);
      const isBalancer = name === 'balancer';
      expect([ports !== undefined, 'outside' in networks], name).to.deep.equal([isBalancer, isBalancer]);
    }
  });

  it('accept bodies, targets and headers beyond the limits, so that the service rejects them itself', () => {
    const kibibytes = (name: string) =>
      Number(new RegExp(`^ *${name} (?:\\d+ )?(\\d+)k;$`, 'm').exec(nginx)?.[1]) * 1024;
    expect(kibibytes('client_max_body_size')).to.be.above(64 * 1024);
    expect(kibibytes('large_client_header_buffers')).to.be.above(16 * 1024);
  });
});

describe('deploy/petstore.service', () => {
  it('stores the data in its state directory, without privileges', () => {
    expect(valueOf('Environment')).to.equal(`DATA_DIR=/var/lib/${String(valueOf('StateDirectory'))}`);
    const names = ['DynamicUser', 'ProtectSystem', 'CapabilityBoundingSet'];
    expect(names.map(valueOf)).to.deep.equal(['yes', 'strict', '']);
    // The JIT compiler of Node needs memory that it can write and execute.
    expect(unit).to.not.match(/^(ReadWritePaths|MemoryDenyWriteExecute)=/m);
  });

  it('leaves a file descriptor for each connection', () => {
    expect(Number(valueOf('LimitNOFILE'))).to.be.at.least(
      Number(settingList.find(({ name }) => name === 'MAX_CONNECTIONS')?.default) + 100,
    );
  });
});

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
    expect(known).to.include.members(env.map(({ name }) => name));
    const values = Object.fromEntries(env.map(({ name, value }) => [name, value ?? '']));
    const { metricsPort } = readConfig({ ...values, DATABASE_URL: 'postgres://db/petstore' });
    const [, port] = /^ENV .*\bPORT=(\d+)/m.exec(await read('Dockerfile')) ?? [];
    expect(container.ports).to.deep.equal([
      { name: 'http', containerPort: Number(port) },
      { name: 'metrics', containerPort: metricsPort },
    ]);
    const secrets = env.filter(({ valueFrom }) => valueFrom?.secretKeyRef !== undefined);
    expect(secrets.map(({ name }) => name)).to.deep.equal(['DATABASE_URL', 'REDIS_URL']);
  });

  it('run the container of compose.yaml without privileges, on a read-only file system', () => {
    expect([pod.securityContext?.runAsNonRoot, pod.automountServiceAccountToken]).to.deep.equal([true, false]);
    const capabilities = { drop: ['ALL'] };
    const restricted = { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities };
    expect(container.securityContext).to.deep.equal(restricted);
    expect(compose).to.contain(`image: ${String(container.image)}\n`);
  });

  it('admit requests of the ingress controller only, whose X-Forwarded-For the service trusts', () => {
    const { ingress = [] } = (find('NetworkPolicy') as INetworkPolicy).spec ?? {};
    const sources = ingress.map(({ from, ports }) => [ports?.map(({ port }) => port), from]);
    const inNamespace = (name: string) => [
      { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': name } } },
    ];
    expect(sources).to.deep.equal([
      [['http'], inNamespace('ingress-nginx')],
      [['metrics'], inNamespace('monitoring')],
    ]);
    expect(container.env).to.deep.include({ name: 'TRUST_PROXY', value: '1' });
  });

  it('leave connections of PostgreSQL for commands while the maximum of nodes is replaced', () => {
    const { maxReplicas = 0 } = (find('HorizontalPodAutoscaler') as IHorizontalPodAutoscaler).spec ?? {};
    const { maxSurge } = (find('Deployment') as IDeployment).spec?.strategy?.rollingUpdate ?? {};
    const perNode = Number(container.env?.find(({ name }) => name === 'MAX_DATABASE_CONNECTIONS')?.value);
    // PostgreSQL's defaults of max_connections and superuser_reserved_connections.
    expect((maxReplicas + Number(maxSurge)) * perNode).to.be.below(100 - 3);
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

it('the files in deploy/ leave time for the shutdown that docs/operations.md states, and for responses', async () => {
  const [, stated] = /graceful shutdown, by default within (\d+) s/.exec(await read('docs/operations.md')) ?? [];
  const secondsOf = (service: ComposeService | undefined) => Number(service?.stop_grace_period.replace(/s$/, ''));
  const pauseSeconds = Number(container.lifecycle?.preStop?.exec?.command?.[1]);
  expect(pauseSeconds).to.be.at.least(3);
  const graceful = Number(pod.terminationGracePeriodSeconds) - pauseSeconds;
  for (const seconds of [...nodes.map(secondsOf), Number(valueOf('TimeoutStopSec')), graceful])
    expect(seconds).to.be.above(Number(stated));
  expect(secondsOf(services['balancer'])).to.be.above(12);
});
