import { sendRaw } from '@contract-server/test-support/clients/raw-connection.js';
import { get, host, message, unknownPath } from '@contract-server/test-support/clients/raw-requests.js';
import { apiError, responseOf } from '@contract-server/test-support/contract/response.js';
import { assertConforms, request, useToys } from '@contract-server/test-support/servers/toys.js';
import { expect } from 'chai';

const notFound = (method: string, path: string) => {
  const shown = path.length > 64 ? `${path.slice(0, 64)}…` : path;
  const text = `No route matches ${method} ${shown}. See /docs for the available paths.`;
  return apiError(404, 'route_not_found', text);
};
const methodNotAllowed = (allow: string) =>
  apiError(405, 'method_not_allowed', `This path supports only ${allow}.`, { allow });

const allMethods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND'];
const unknown = [
  ...['/favicon.ico', '/v1', '/v1/', '/v2/toys', '/v1/toys_', '/v1/Toys', '/V1/toys', '/toys', '/v1/parts', '*'],
  ...['/v1/toys/', '/v1/toys/1/', '/v1/toys//', '/v1//toys', '//v1/toys', '/v1/parts/all/', '/v1/toys/1/2'],
  ...['/v1/t%256fys', '/v1%2Ftoys', '/v1/../v1/toys', '/v1/./toys', '/v1/toys;a=1'],
  ...['/healthz/', '/HEALTHZ', '/v1/readyz', '/healthz%2F'],
  ...['/v1/hasOwnProperty', '/v1/__proto__', '/v1/parts/toString', '/constructor', `/v1/${'X'.repeat(7996)}`],
];
/** Percent-encoded characters that need no encoding are equivalent to the characters. */
const encoded = { '/%761/%74oy%73': '/v1/toys', '/v1/t%6fys/%31': '/v1/toys/1', '/openapi%2Eyaml': '/openapi.yaml' };

describe('a route', () => {
  const service = useToys();

  /** Sends the target unchanged: an HTTP library would normalize it. */
  const sendTarget = async (method: string, target: string, authorization = `Bearer ${service.token}`) => {
    const bytes = message([`${method} ${target} HTTP/1.1`, host, `Authorization: ${authorization}`]);
    const response = await sendRaw(service, bytes);
    assertConforms(method, target.replace(/^https?:\/\/[^/?]*/i, ''), response);
    return response;
  };
  const send = async (...args: Parameters<typeof sendTarget>) => responseOf(await sendTarget(...args));

  for (const target of unknown)
    it(`that does not exist returns 404: ${target.slice(0, 40)}`, async () => {
      expect(await send('GET', target)).to.deep.equal(notFound('GET', target));
    });

  it('returns 400 if its path cannot be decoded', async () => {
    const text = 'The URL has an invalid percent-encoding. Encode a percent sign as %25.';
    for (const target of ['/v1/%zz', '/v1/t%6fys/%zz', '/v1/nothing/%ff', '/%'])
      expect(await send('GET', target), target).to.deep.equal(apiError(400, 'malformed_url', text));
  });

  it('that does not exist is named without needless percent-encoding', async () => {
    const shown = { '/v1/cat%73': '/v1/cats', '/v1/%2E/toys': '/v1/./toys', '/v1/%E2%82%AC': '/v1/%E2%82%AC' };
    for (const [target, path] of Object.entries(shown))
      expect(await send('GET', target)).to.deep.equal(notFound('GET', path));
  });

  for (const [other, target] of Object.entries(encoded))
    it(`returns the same with needless percent-encoding and in absolute form: ${other}`, async () => {
      const { text } = await sendTarget('GET', target);
      for (const origin of ['', 'http://toys.example', 'HTTP://evil.example:8080', 'https://[::1]'])
        expect(await sendRaw(service, get(service, `${origin}${other}`))).to.include({ status: 200, text });
    });

  it('in absolute form may have a query, no path, or not exist', async () => {
    expect((await send('GET', 'http://toys.example/v1/toys?limit=0')).status).to.equal(400);
    expect(await send('GET', `https://[::1]${unknownPath}`)).to.deep.equal(notFound('GET', unknownPath));
    for (const target of ['http://toys.example', 'http://toys.example?x=/v1/toys'])
      expect(await send('GET', target)).to.deep.equal({ status: 302, headers: { location: 'docs' } });
  });

  it('that does not exist returns 404 for every method, with or without a key', async () => {
    for (const authorization of [`Bearer ${service.token}`, 'Basic x', 'Bearer x'])
      expect(await send('GET', unknownPath, authorization)).to.deep.equal(notFound('GET', unknownPath));
    for (const method of [...allMethods, 'OPTIONS'])
      expect(await send(method, unknownPath)).to.deep.equal(notFound(method, unknownPath));
  });

  for (const [target, allow] of [
    ['/v1/toys', 'GET, HEAD, OPTIONS, POST'],
    ['/v1/toys/1', 'GET, HEAD, OPTIONS'],
    ['/v1/parts/all', 'GET, HEAD, OPTIONS'],
  ] as const) {
    it(`returns 405 for other methods, and 204 for OPTIONS, with or without a key: ${target}`, async () => {
      for (const authorization of [`Bearer ${service.token}`, '']) {
        for (const method of allMethods.filter((known) => !allow.split(', ').includes(known)))
          expect(await send(method, `${target}?limit=0`, authorization)).to.deep.equal(methodNotAllowed(allow));
        expect(await send('OPTIONS', target, authorization)).to.deep.equal({ status: 204, headers: { allow } });
      }
    });

    it(`returns the headers of GET for HEAD: ${target}`, async () => {
      const [got, head] = [await request(service).get(target), await request(service).head(target)];
      const { status, headers } = responseOf(got);
      expect(responseOf(head)).to.deep.equal({ status, headers });
      expect(head.headers).to.include({ 'content-length': String(Buffer.byteLength(got.text)) });
    });
  }

  it('returns 204 for OPTIONS *, with the methods of every path', async () => {
    const headers = { allow: 'GET, HEAD, OPTIONS, POST' };
    expect(await send('OPTIONS', '*')).to.deep.equal({ status: 204, headers });
  });
});
