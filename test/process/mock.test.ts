import { expect } from 'chai';
import { startCommand } from '../support/cli/running-command.js';
import { send } from '../support/clients/send.js';
import { assertMockConforms } from '../support/contract/own-conformance.js';
import { rex } from '../support/pets.js';

interface Announcement {
  readonly baseUrl: string;
  readonly apiKey: string;
}

/** contract-server tests the command; this proves that the pet store has it, with its examples and its stores. */
describe('petstore mock', () => {
  for (const args of [[], ['--stateful']])
    it(`petstore mock ${args.join('')} uses --base-url in the links of its responses, which the contract declares`, async () => {
      const publicUrl = 'http://petstore.example:8080/shop/v1';
      const first = await startCommand(['mock', '--json', ...args]);
      await first.stop();
      const { port } = new URL((JSON.parse(first.stdout.text) as Announcement).baseUrl);
      const { stdout } = await startCommand(['mock', '--json', ...args, '--port', port, '--base-url', publicUrl]);
      const { baseUrl, apiKey } = JSON.parse(stdout.text) as Announcement;
      expect(baseUrl).to.equal(publicUrl);
      const url = `http://127.0.0.1:${port}/v1/pets`;
      const created = await send(url, apiKey, { body: JSON.stringify(rex) });
      expect([created.status, created.headers['location']]).to.deep.equal([201, `${publicUrl}/pets/1`]);
      const listed = await send(`${url}?limit=1`, apiKey);
      expect((JSON.parse(listed.text) as object[])[0]).to.include({ id: 1, name: 'Rex' });
      for (const [method, { status, headers, text }] of [
        ['POST', created],
        ['GET', listed],
      ] as const)
        assertMockConforms(method, '/v1/pets', { status, headers: headers, text });
    });
});
