import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { settings } from '#src/config.js';

const root = new URL('../../../', import.meta.url);

describe('the systemd unit', () => {
  const directives: (readonly [name: string, value: string])[] = [];
  before(async () => {
    const text = await readFile(new URL('deploy/petstore.service', root), 'utf8');
    for (const line of text.split('\n')) {
      if (line === '' || /^[#[]/.test(line)) continue;
      const [, name, value] = /^(\w+)=(.*)$/.exec(line) ?? [];
      if (name === undefined || value === undefined) throw new Error(`Not a directive: ${line}`);
      directives.push([name, value]);
    }
  });

  const valueOf = (name: string) => directives.find(([found]) => found === name)?.[1];

  it('sets only known settings, and stores the data in its state directory', () => {
    const [, name, value] = /^(\w+)=(\S+)$/.exec(valueOf('Environment') ?? '') ?? [];
    expect(name).to.equal(settings.dataDirectory.name);
    expect(value).to.equal(`/var/lib/${String(valueOf('StateDirectory'))}`);
  });

  it('leaves time for the shutdown that docs/operations.md states', async () => {
    const operations = await readFile(new URL('docs/operations.md', root), 'utf8');
    const shutdownSeconds = Number(/graceful shutdown within (\d+) s/.exec(operations)?.[1]);
    expect(Number(valueOf('TimeoutStopSec'))).to.be.above(shutdownSeconds);
  });

  it('allows a file descriptor for each connection', () => {
    expect(Number(valueOf('LimitNOFILE'))).to.be.at.least(Number(settings.connectionsMax.default) + 100);
  });

  it('runs without privileges, and lets the service write only to its state directory', () => {
    expect(valueOf('DynamicUser')).to.equal('yes');
    expect(valueOf('ProtectSystem')).to.equal('strict');
    expect(valueOf('CapabilityBoundingSet')).to.equal('');
    expect(directives.map(([name]) => name)).not.to.include.members(['ReadWritePaths', 'MemoryDenyWriteExecute']);
  });
});
