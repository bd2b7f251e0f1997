import { expect } from 'chai';
import { CreatingClient } from '../support/creating-client.js';
import { createUnlimitedKey, ServerProcess } from '../support/server-process.js';
import { readStoredPets } from '../support/stored-pets.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

/** The service stops within its 8 s for requests in flight; with clients that leave when they are told to, long before. */
const stopMs = 4000;

describe('SIGTERM', () => {
  it('lets every request that was accepted have its 201, tells clients to leave, and ends with 0', async () => {
    const directory = temporaryDirectory();
    const server = await ServerProcess.start({ DATA_DIR: directory });
    const token = await createUnlimitedKey(directory);
    let count = 0;
    let stoppedAt = 0;
    const stopAfterAWhile = () => {
      count += 1;
      if (count !== 200) return;
      stoppedAt = performance.now();
      server.kill('SIGTERM');
    };
    const clients = Array.from(
      { length: 8 },
      (_, index) => new CreatingClient(`client-${String(index)}`, server.baseUrl, token, stopAfterAWhile),
    );
    await Promise.all(clients.map((client) => client.run()));
    expect(await server.ended).to.deep.equal({ code: 0, signal: null });
    expect(performance.now() - stoppedAt).to.be.below(stopMs);
    expect(server.stderr).to.equal('');

    const acknowledged = clients.flatMap((client) => client.acknowledged);
    const stored = readStoredPets(directory);
    expect([...stored.values()]).to.have.deep.members(acknowledged);
    expect(clients.filter(({ wasToldToLeave }) => wasToldToLeave)).to.have.lengthOf.above(0);
  });

  it('does not wait for connections on which nothing is asked', async () => {
    const server = await ServerProcess.start({ DATA_DIR: temporaryDirectory() });
    await fetch(`${server.baseUrl}/pets`);
    const startedAt = performance.now();
    expect(await server.stop()).to.deep.equal({ code: 0, signal: null });
    expect(performance.now() - startedAt).to.be.below(stopMs);
  });

  it('is obeyed at once the second time', async () => {
    const server = await ServerProcess.start({ DATA_DIR: temporaryDirectory() });
    await server.says(/curl .+\n/);
    // A request whose body never ends keeps the service from stopping by itself.
    const controller = new AbortController();
    const body = new ReadableStream({ start: (stream) => stream.enqueue(Buffer.from('{')) });
    const headers = { authorization: `Bearer ${String(server.firstKey)}`, 'content-type': 'application/json' };
    const pending = fetch(`${server.baseUrl}/pets`, { method: 'POST', headers, body, duplex: 'half', signal: controller.signal });
    const outcome = pending.then(
      () => 'answered',
      () => 'cut',
    );
    await fetch(`${server.baseUrl}/pets`);
    server.kill('SIGTERM');
    server.kill('SIGINT');
    expect(await server.ended).to.deep.equal({ code: 1, signal: null });
    expect(await outcome).to.equal('cut');
    controller.abort();
  });
});
