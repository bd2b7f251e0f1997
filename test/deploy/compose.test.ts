import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { parse } from 'yaml';
import { readConfig, settings } from '#src/config.js';
import { document } from '../support/contract/contract-requests.js';

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
const known = Object.values(settings).map(({ name }) => name as string);
/** `${NAME:-a default}` and `${NAME:?what is missing}` as Compose reads them, with a value for what has none. */
const filled = (text: string) =>
  text.replace(/\$\{\w+:([-?])([^}]*)\}/g, (_, kind: string, word: string) => (kind === '-' ? word : 'x'));

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
      const { databaseUrl, redis, trustProxy, metricsPort } = readConfig(env, document);
      const stores = ['postgres://petstore@postgres:5432/petstore', 'redis://redis:6379/0'];
      expect([databaseUrl, redis?.description, trustProxy, metricsPort]).to.deep.equal([...stores, 1, 9464]);
    }
  });

  it('give a node enough time to shut down, and the load balancer enough for a response', () => {
    const seconds = (service: ComposeService | undefined) => Number(service?.stop_grace_period.replace(/s$/, ''));
    for (const node of nodes) expect(seconds(node)).to.be.above(10);
    expect(seconds(services['balancer'])).to.be.above(12);
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
  const valueOf = (name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(unit)?.[1];

  it('stores the data in its state directory, without privileges', () => {
    expect(valueOf('Environment')).to.equal(`DATA_DIR=/var/lib/${String(valueOf('StateDirectory'))}`);
    const names = ['DynamicUser', 'ProtectSystem', 'CapabilityBoundingSet'];
    expect(names.map(valueOf)).to.deep.equal(['yes', 'strict', '']);
    // The JIT compiler of Node needs memory that it can write and execute.
    expect(unit).to.not.match(/^(ReadWritePaths|MemoryDenyWriteExecute)=/m);
  });

  it('leaves time for the shutdown that docs/operations.md states, and a file descriptor for each connection', async () => {
    const [, shutdownSeconds] =
      /graceful shutdown, by default within (\d+) s/.exec(await read('docs/operations.md')) ?? [];
    expect(Number(valueOf('TimeoutStopSec'))).to.be.above(Number(shutdownSeconds));
    expect(Number(valueOf('LimitNOFILE'))).to.be.at.least(Number(settings.connectionsMax.default) + 100);
  });
});
