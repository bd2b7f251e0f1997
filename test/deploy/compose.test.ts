import { execFile } from 'node:child_process';
import { cp, readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { parse } from 'yaml';
import { readConfig, settings } from '#src/config.js';
import { contractUrl, readContract } from '#src/openapi/load-contract.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

interface ComposeService {
  readonly image: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly networks: Readonly<Record<string, { readonly ipv4_address?: string } | null>>;
  readonly ports?: readonly string[];
  readonly stop_grace_period: string;
  readonly read_only: boolean;
  readonly cap_drop: readonly string[];
  readonly security_opt: readonly string[];
}

const root = new URL('../../../', import.meta.url);
const read = (file: string) => readFile(new URL(file, root), 'utf8');
const filesOf = async (directory: string) =>
  (await readdir(directory, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => relative(directory, join(entry.parentPath, entry.name)))
    .sort();
const composed = parse(await read('compose.yaml'), { merge: true }) as {
  readonly services: Record<string, ComposeService>;
};
const services = Object.entries(composed.services);
const nodes = services.filter(([name]) => name.startsWith('petstore-')).map(([, node]) => node);
const nginx = await read('deploy/nginx.conf');
const addressOf = (service: ComposeService | undefined) => service?.networks['inside']?.ipv4_address;
/** `${NAME:-a default}` and `${NAME:?what is missing}` as Compose reads them, with a value for what has none. */
const filled = (text: string) =>
  text.replace(/\$\{\w+:([-?])([^}]*)\}/g, (_, kind: string, word: string) => (kind === '-' ? word : 'x'));

describe('the deployment files', () => {
  it('exclude from the image every source that is not compiled', async () => {
    const directory = temporaryDirectory();
    await cp(new URL('src', root), join(directory, 'src'), { recursive: true });
    const commands = (await read('Dockerfile')).match(/find src .*(?= \\)/g) ?? [];
    await promisify(execFile)('sh', ['-c', commands.join(' && ')], { cwd: directory });
    const written = await filesOf(fileURLToPath(new URL('src', root)));
    expect(await filesOf(join(directory, 'src'))).to.deep.equal(written.filter((file) => !file.endsWith('.ts')));
  });

  it('define three nodes, which the load balancer uses', () => {
    const found = [...nginx.matchAll(/^ *server ([\d.]+):(\d+)/gm)].map(([, address, port]) => [address, port]);
    expect(found).to.deep.equal(nodes.map((node) => [addressOf(node), '8080']));
    expect(nodes).to.have.lengthOf(3);
  });

  it('set only known settings, and all that several nodes need', async () => {
    const known = [...Object.values(settings).map(({ name }) => name as string), 'PGPASSWORD'];
    const { document } = await readContract(contractUrl);
    for (const { environment = {} } of nodes) {
      expect(known).to.include.members(Object.keys(environment));
      const env = Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, filled(value)]));
      const { databaseUrl, redis, trustProxy } = readConfig(env, document);
      expect([databaseUrl, redis?.description, trustProxy]).to.deep.equal([
        'postgres://petstore@postgres:5432/petstore',
        'redis://redis:6379/0',
        1,
      ]);
    }
  });

  it('contain no secret, and require each', async () => {
    for (const [line] of (await read('compose.yaml')).matchAll(/^.*(?:PASSWORD|REDISCLI_AUTH|REDIS_URL): .*$/gm)) {
      expect(line).to.match(/\$\{\w+:\?/);
    }
  });

  it('give a node enough time to shut down, and the load balancer enough for a response', () => {
    const seconds = ({ stop_grace_period: text }: ComposeService) => Number(text.replace(/s$/, ''));
    for (const node of nodes) expect(seconds(node)).to.be.above(10);
    expect(seconds(composed.services['balancer'] as ComposeService)).to.be.above(12);
  });

  it('restrict every container, and publish only the load balancer', () => {
    for (const [name, { read_only, cap_drop, security_opt, ports, networks }] of services) {
      expect({ read_only, cap_drop, security_opt }, name).to.deep.equal({
        read_only: true,
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
      });
      const isBalancer = name === 'balancer';
      expect([ports !== undefined, 'outside' in networks], name).to.deep.equal([isBalancer, isBalancer]);
    }
  });

  it('accept bodies, targets and headers beyond the limits, so that the service rejects them itself', async () => {
    const { document } = await readContract(contractUrl);
    const kibibytes = (name: string) =>
      Number(new RegExp(`^ *${name} (?:\\d+ )?(\\d+)k;$`, 'm').exec(nginx)?.[1]) * 1024;
    const { targetBytesMax, headerBytesMax } = document['x-request-limits'];
    expect(kibibytes('client_max_body_size')).to.be.above(64 * 1024);
    expect(kibibytes('large_client_header_buffers')).to.be.above(Math.max(targetBytesMax, headerBytesMax));
  });
});
