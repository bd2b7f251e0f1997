import type { ServerResponse } from 'node:http';

/** What Node keeps between `writeHead` and the first write: the text of the head. */
interface Headed {
  _header: unknown;
}

/**
 * Ends an answer whose head was just written with a body, in one write of one string. Node itself would collect the
 * head with the body and an empty string after it, and hand the two to the kernel as a list, which costs about 1.5 µs
 * more.
 *
 * The head is sent as Latin-1, so the body joins it only if it is ASCII; else, and where Node keeps its head otherwise,
 * it is ended as usual. `Content-Length` must have been set.
 */
export function endResponse(response: ServerResponse, body: string): void {
  const headed = response as unknown as Headed;
  if (typeof headed._header !== 'string' || Buffer.byteLength(body) !== body.length) {
    response.end(body);
    return;
  }
  headed._header += body;
  response.end();
}
