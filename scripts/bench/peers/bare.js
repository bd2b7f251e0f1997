/** `node:http` with hand-written routing, without API keys, limits or validation: the cost of Node and SQLite. */
import { createServer } from 'node:http';
import { petNotFound, pets, port } from './common.js';

createServer((request, response) => {
  const { method, url } = request;
  if (method === 'GET' && url.startsWith('/v1/pets/')) {
    const pet = pets.find(Number(url.slice('/v1/pets/'.length)));
    if (pet === undefined) send(response, 404, petNotFound);
    else send(response, 200, pet);
  } else if (method === 'GET' && url.startsWith('/v1/pets')) {
    const query = new URLSearchParams(url.slice('/v1/pets?'.length));
    send(response, 200, pets.list({ status: query.get('status') ?? undefined, limit: Number(query.get('limit')) }));
  } else if (method === 'POST' && url === '/v1/pets') {
    let text = '';
    request.setEncoding('utf8');
    request.on('data', (chunk) => (text += chunk));
    request.on('end', () => {
      const { name, categoryId, status = 'available' } = JSON.parse(text);
      send(response, 201, pets.create({ name, categoryId, status }));
    });
  } else response.writeHead(404).end();
}).listen(port, '127.0.0.1');

function send(response, status, value) {
  const body = JSON.stringify(value);
  response.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) });
  response.end(body);
}
