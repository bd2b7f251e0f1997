import { expect } from 'chai';
import { bodyOf, useConduit } from './support/conduit.js';

describe('an error of Conduit', () => {
  const conduit = useConduit();
  const namesOf = async (response: Parameters<typeof bodyOf>[0]) => Object.keys((await bodyOf(response)).errors);

  it('is named after its code if RealWorld does not specify it', async () => {
    const { request } = conduit.service;
    for (const [name, response] of [
      ['malformed_json', request.post('/api/users').type('json').send('{').expect(400)],
      ['unsupported_media_type', request.post('/api/users').type('text').send('x').expect(415)],
      ['route_not_found', request.get('/api/unknown').expect(404)],
      ['method_not_allowed', request.delete('/api/tags').expect(405)],
    ] as const)
      expect(await namesOf(response)).to.deep.equal([name]);
  });

  it('may be about a parameter of any name', async () => {
    const response = conduit.anonymous.get('/articles?__proto__=1&limit=x').expect(422);
    expect(await namesOf(response)).to.have.members(['__proto__', 'limit']);
  });
});

describe('CORS', () => {
  const conduit = useConduit();
  const origin = 'https://frontend.example';

  it('lets scripts of any origin send requests with a token and read the responses', async () => {
    const preflight = await conduit.service.request
      .options('/api/user')
      .set({ Origin: origin, 'Access-Control-Request-Method': 'PUT' })
      .set('Access-Control-Request-Headers', 'authorization,content-type')
      .expect(204);
    expect(preflight.headers).to.include({
      'access-control-allow-origin': '*',
      'access-control-allow-headers': 'authorization,content-type',
    });
    expect(preflight.headers['access-control-allow-methods']).to.contain('PUT').and.contain('DELETE');
    for (const path of ['/user', '/tags', '/unknown']) {
      const { headers } = await conduit.anonymous.get(path).set('Origin', origin);
      expect(headers, path).to.include({ 'access-control-allow-origin': '*' });
    }
  });
});
