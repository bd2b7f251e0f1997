import { type Agent, type IncomingHttpHeaders, request } from 'node:http';

export interface SentRequest {
  /** Default: that of the process, which keeps connections alive. */
  readonly agent?: Agent;
  readonly headers?: Readonly<Record<string, string>>;
  /** The JSON of a POST; without it, the request is a GET. */
  readonly body?: string;
}

export interface TimedResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The time until it was complete. */
  readonly ms: number;
}

/** Sends a request with an API key. Resolves with the complete response, and rejects if the connection is lost. */
export function send(url: string, token: string, sent: SentRequest = {}): Promise<TimedResponse> {
  const { agent, headers, body } = sent;
  const startedAt = performance.now();
  const all = { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }), ...headers };
  const options = { method: body === undefined ? 'GET' : 'POST', headers: all, ...(agent && { agent }) };
  return new Promise((resolve, reject) => {
    const sending = request(url, options, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.once('error', reject).once('end', () => {
        const { statusCode: status = NaN } = response;
        resolve({ status, headers: response.headers, text, ms: performance.now() - startedAt });
      });
    });
    sending.once('error', reject).end(body);
  });
}
