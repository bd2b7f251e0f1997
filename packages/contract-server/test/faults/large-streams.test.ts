import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { closeLater } from '@contract-server/test-support/closing.js';
import { residentMebibytesOf } from '@contract-server/test-support/machine/process-usage.js';
import { watchChild } from '@contract-server/test-support/servers/child-process.js';
import { expect } from 'chai';

const mebibyte = 1024 * 1024;
const script = fileURLToPath(new URL('streaming-server.js', import.meta.url));

describe('a stream of 1 GiB', function () {
  this.timeout(120_000);

  for (const source of ['bytes', 'stream', 'file', 'events', 'lines'])
    it(`takes less than 50 MiB of memory: ${source}`, async () => {
      const child = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'inherit'] });
      const ended = watchChild(child);
      closeLater(async () => {
        child.kill('SIGKILL');
        await ended;
      });
      const [port] = (await once(createInterface(child.stdout), 'line')) as [string];
      const memory = () => residentMebibytesOf(child.pid ?? expect.fail());
      // Loads the code of requests.
      expect((await fetch(`http://127.0.0.1:${port}/none`)).status).to.equal(404);
      const before = memory();
      let [received, greatest] = [0, before];
      const response = await fetch(`http://127.0.0.1:${port}/${source}`);
      for await (const chunk of response.body ?? expect.fail()) {
        const { length } = chunk as Uint8Array;
        if (Math.floor(received / mebibyte) < Math.floor((received + length) / mebibyte))
          greatest = Math.max(greatest, memory());
        received += length;
      }
      console.log(`      ${(greatest - before).toFixed(1)} MiB`);
      expect(received).to.equal(1024 * mebibyte);
      expect(greatest - before).to.be.below(50);
    });
});
