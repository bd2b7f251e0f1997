import { errorOf } from '@contract-server/test-support/error-of.js';
import { reply, useScriptedServer } from '@contract-server/test-support/servers/scripted-server.js';
import { expect } from 'chai';
import { clientOf } from '../support/clients/client-of.js';

const rex = { id: 1, name: 'Rex', categoryId: 7, status: 'available' };
const nextPage = (cursor: string, origin = '') => ({ link: `<${origin}/v1/pets?cursor=${cursor}>; rel="next"` });

describe('the responses of a client', () => {
  const server = useScriptedServer();

  it('are unexpected if they do not conform to the contract', async () => {
    const wrongPets = [{ id: 1 }, { ...rex, id: '1' }, { ...rex, categoryId: 1.5 }, null].map((pet) =>
      reply(200, [pet]),
    );
    const wrongBodies = ['<html>', '', 'null', {}].map((body) => reply(200, body));
    const wrongLink = reply(200, [], { link: '<https://a.example/>; rel="next"' });
    for (const [index, response] of [...wrongPets, ...wrongBodies, wrongLink, reply(204, '')].entries()) {
      server.script(response);
      const failure = await errorOf(clientOf(server).listPets());
      expect(failure, String(index)).to.include({ name: 'PetstoreError', code: 'unexpected_response' });
      expect(server.received).to.have.lengthOf(1);
    }
    server.script(reply(502, '<html>', { 'x-request-id': 'abc', 'retry-after': '61' }));
    const failure = await errorOf(clientOf(server).listPets());
    expect(failure).to.include({ code: 'unexpected_response', status: 502, requestId: 'abc', retryAfterSeconds: 61 });
  });

  for (const [cursor, cursors, expected] of [
    [undefined, ['a', 'b', 'c', 'a'], [1, 2, 3, 4]],
    ['a', ['a'], [1]],
  ] as const)
    it(`end the iteration with an error if the cursor ${cursors.join()} is repeated`, async () => {
      server.script(...cursors.map((next, index) => reply(200, [{ ...rex, id: index + 1 }], nextPage(next))));
      const ids: number[] = [];
      const iterate = async () => {
        for await (const { id } of clientOf(server).pets({ ...(cursor && { cursor }) })) ids.push(id);
      };
      const failure = await errorOf(iterate());
      expect(failure).to.include({ code: 'unexpected_response' }).and.have.nested.property('cause.message');
      expect(ids).to.deep.equal(expected);
      expect(server.received).to.have.lengthOf(expected.length);
    });
});

describe('the API key of a client', () => {
  const [named, foreign] = [useScriptedServer(), useScriptedServer()];

  it('is only sent to the base URL, even if a next link has another origin', async () => {
    named.script(reply(200, [rex], nextPage('abc', new URL(foreign.baseUrl).origin)), reply(200, []));
    const pets = [];
    for await (const pet of clientOf(named).pets({ status: 'sold' })) pets.push(pet);
    expect(pets).to.deep.equal([rex]);
    expect(named.received.map(({ target, headers }) => [target, headers.authorization])).to.deep.equal([
      ['/v1/pets?status=sold', 'Bearer pets_live_x'],
      ['/v1/pets?status=sold&cursor=abc', 'Bearer pets_live_x'],
    ]);
    expect(foreign.received).to.deep.equal([]);
  });
});
