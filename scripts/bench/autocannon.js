/**
 * Sends a load where wrk is not installed: node autocannon.js <url> <file of requests> <connections> <seconds>
 * <requests at most>.
 */
import { readFileSync } from 'node:fs';
import autocannon from 'autocannon';

const [url, file, connections, seconds, requestsMax] = process.argv.slice(2);
const requests = JSON.parse(readFileSync(file, 'utf8'));
let sent = 0;
/** Replaces the placeholder of cases.ts by an address that no other request has. */
function withAddress(request) {
  sent += 1;
  const address = `10.${sent >> 16}.${(sent >> 8) & 255}.${sent & 255}`;
  return { ...request, headers: { ...request.headers, 'X-Forwarded-For': address } };
}
for (const request of requests) {
  if (request.headers['X-Forwarded-For'] === '{address}') request.setupRequest = withAddress;
}
const startedAt = performance.now();
const result = await autocannon({
  url,
  connections: Number(connections),
  duration: Number(seconds),
  maxOverallRequests: Number(requestsMax),
  requests,
});
console.log(
  JSON.stringify({
    requests: result['2xx'] + result.non2xx,
    seconds: (performance.now() - startedAt) / 1000,
    p50Ms: result.latency.p50,
    p99Ms: result.latency.p99,
    refused: result['4xx'] + result['5xx'],
    failed: result.errors + result.timeouts,
  }),
);
