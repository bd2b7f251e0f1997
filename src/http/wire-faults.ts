import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { Refusal } from '../domain/refusal.js';
import type { ErrorReplies } from './errors.js';
import { limitHeaders } from './limit-headers.js';
import type { RateLimiter } from './rate-limiter.js';
import { type RequestIds, requestIdHeader } from './request-ids.js';

type FaultySocket = Duplex & { remoteAddress?: string };

/** Answers connections on which Node's parser gave up. */
export class WireFaults {
  constructor(
    private readonly errors: ErrorReplies,
    private readonly limiter: RateLimiter,
    private readonly requestIds: RequestIds,
  ) {}

  /**
   * Answers where an answer is still possible, and closes the connection. The fault is counted against the address; it keeps its own
   * status even when that has no requests left. Never rejects.
   */
  async answer(error: NodeJS.ErrnoException, socket: FaultySocket): Promise<void> {
    try {
      if (error.code === 'ECONNRESET' || !(await owesAnswer(socket)) || !socket.writable) socket.destroy();
      else socket.end(this.answerTo(error, limitHeaders(await this.limiter.admitFault(socket.remoteAddress))));
    } catch (failure) {
      this.errors.report(failure);
      socket.destroy();
    }
  }

  private answerTo(error: NodeJS.ErrnoException, limits: Readonly<Record<string, string>>): string {
    const { status, body = '' } = this.errors.from(refusalFor(error));
    const headers = {
      [requestIdHeader]: this.requestIds.of(undefined),
      'Cache-Control': 'no-store',
      ...limits,
      'Content-Type': 'application/json',
      'Content-Length': String(Buffer.byteLength(body)),
      Connection: 'close',
    };
    const head = [
      `HTTP/1.1 ${String(status)} ${STATUS_CODES[status] ?? ''}`,
      ...Object.entries(headers).map((pair) => pair.join(': ')),
    ];
    return `${head.join('\r\n')}\r\n\r\n${body}`;
  }
}

/**
 * Waits until the requests before the fault on the same connection have their answers: they may tell of something that was done, and
 * their client would take the answer to the fault for one of them. Says whether the fault itself still wants an answer: not if it
 * lies in the rest of a request that has one. Node keeps the answer in progress on the socket, under a name of its own.
 */
async function owesAnswer(socket: Duplex & { _httpMessage?: ServerResponse | null }): Promise<boolean> {
  for (;;) {
    const response = socket._httpMessage;
    if (!response || response.writableFinished) return true;
    if (!response.req.complete) return !response.headersSent;
    await new Promise((resolve) => response.once('close', resolve));
  }
}

function refusalFor({ code }: NodeJS.ErrnoException): Refusal {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return new Refusal('headers_too_large', 'The request line and the headers together are too large.');
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new Refusal('request_timeout', 'The request did not arrive in time.');
    default:
      return new Refusal('malformed_http', 'The request is not valid HTTP/1.1.');
  }
}
