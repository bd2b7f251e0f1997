import { inspect } from 'node:util';
import { expect } from 'chai';
import { errorOf } from '#contract-server-test/support/error-of.js';
import { errorReply, noReply, reply, useScriptedServer } from '../support/servers/scripted-server.js';

const rex = { id: 1, name: 'Rex', categoryId: 7, status: 'available' };
const nextPage = (cursor: string, origin = '') => ({ link: `<${origin}/v1/pets?cursor=${cursor}>; rel="next"` });

describe('the responses of a client', () => {
  const server = useScriptedServer();
  const unhandled = () => expect.fail('A rejection was not handled.');

  it('are received once, with or without withResponse', async () => {
    server.script(reply(200, [rex]));
    const call = server.client().listPets();
    const [page, { data }] = await Promise.all([call, call.withResponse()]);
    expect(data).to.deep.equal(page);
    expect(server.received).to.have.lengthOf(1);
  });

  it('are errors, which withResponse reports as well', async () => {
    server.script(errorReply(404, 'pet_not_found', { 'x-request-id': 'abc' }));
    process.on('unhandledRejection', unhandled);
    const failure = await errorOf(server.client().listPets().withResponse());
    expect(failure).to.include({ code: 'pet_not_found', status: 404, requestId: 'abc' });
    await new Promise((resolve) => setImmediate(resolve));
    process.off('unhandledRejection', unhandled);
    // The response stays out of logs.
    expect(inspect(failure)).not.to.contain('Response');
    expect(Object.keys(failure as object)).not.to.contain('response');
  });

  it('are unexpected if they do not conform to the contract', async () => {
    const wrongPets = [{ id: 1 }, { ...rex, id: '1' }, { ...rex, categoryId: 1.5 }, null].map((pet) =>
      reply(200, [pet]),
    );
    const wrongBodies = ['<html>', '', 'null', {}].map((body) => reply(200, body));
    const wrongLink = reply(200, [], { link: '<https://a.example/>; rel="next"' });
    for (const [index, response] of [...wrongPets, ...wrongBodies, wrongLink, reply(204, '')].entries()) {
      server.script(response);
      const failure = await errorOf(server.client().listPets());
      expect(failure, String(index)).to.include({ name: 'PetstoreError', code: 'unexpected_response' });
      expect(server.received).to.have.lengthOf(1);
    }
    server.script(reply(502, '<html>', { 'x-request-id': 'abc', 'retry-after': '61' }));
    const failure = await errorOf(server.client().listPets());
    expect(failure).to.include({ code: 'unexpected_response', status: 502, requestId: 'abc', retryAfterSeconds: 61 });
  });

  it('need no body, whatever their status', async () => {
    server.script(reply(202, ''));
    expect(await server.client().request('get', '/pets')).to.include({ data: undefined });
  });

  it('have the code of an unknown error, unless its body has another status', async () => {
    server.script(errorReply(418, 'teapot'));
    expect(await errorOf(server.client().listPets())).to.include({ code: 'teapot', status: 418 });
    server.script(reply(404, { code: 'pet_not_found', message: 'Gone.', status: 410 }));
    expect(await errorOf(server.client().listPets())).to.include({ code: 'unexpected_response', status: 404 });
  });

  for (const [cursor, cursors, expected] of [
    [undefined, ['a', 'b', 'c', 'a'], [1, 2, 3, 4]],
    ['a', ['a'], [1]],
  ] as const)
    it(`end the iteration with an error if the cursor ${cursors.join()} is repeated`, async () => {
      server.script(...cursors.map((next, index) => reply(200, [{ ...rex, id: index + 1 }], nextPage(next))));
      const ids: number[] = [];
      const iterate = async () => {
        for await (const { id } of server.client().pets({ ...(cursor && { cursor }) })) ids.push(id);
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
    for await (const pet of named.client().pets({ status: 'sold' })) pets.push(pet);
    expect(pets).to.deep.equal([rex]);
    expect(named.received.map(({ target, headers }) => [target, headers.authorization])).to.deep.equal([
      ['/v1/pets?status=sold', 'Bearer pets_live_x'],
      ['/v1/pets?status=sold&cursor=abc', 'Bearer pets_live_x'],
    ]);
    expect(foreign.received).to.deep.equal([]);
  });

  it('is not sent after a redirect', async () => {
    for (const status of [301, 302, 303, 307, 308]) {
      named.script(reply(status, '', { location: `${foreign.baseUrl}/pets` }));
      expect(await errorOf(named.client().listPets())).to.include({ code: 'unexpected_response', status });
      expect([named.received.length, foreign.received.length]).to.deep.equal([1, 0]);
    }
  });

  it('occurs in no error', async () => {
    named.script(noReply);
    const failure = await errorOf(named.client().listPets());
    expect(failure).to.include({ code: 'network_failure', status: undefined });
    for (let error: unknown = failure; error instanceof Error; error = error.cause)
      expect(`${String(error.stack)}${JSON.stringify(error)}`).not.to.contain('pets_live_x');
  });
});
