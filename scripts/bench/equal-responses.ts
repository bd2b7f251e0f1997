import type { Case, LoadRequest } from './cases.js';
import type { Contestant } from './contestants.js';
import type { MeasuredServer } from './measured-server.js';

/** Number of requests per case that are compared. */
const comparedMax = 20;

/** Whether a contestant takes part in a case: not every peer can reject requests with every status. */
export function takesPart({ refuses }: Contestant, { status }: Case): boolean {
  return status < 400 || (refuses as readonly string[]).includes(String(status));
}

/** @throws if responses that must be equal differ between two servers. */
export async function requireEqualResponses(of: Case, service: MeasuredServer, peer: MeasuredServer): Promise<void> {
  for (const request of of.requests.slice(0, comparedMax)) {
    const [ours, theirs] = [await fetchResponse(service, request), await fetchResponse(peer, request)];
    const isSame =
      ours.status === of.status && theirs.status === of.status && comparable(ours, of) === comparable(theirs, of);
    if (!isSame) {
      const shown = [ours, theirs].map(({ status, body }) => `${String(status)} ${body}`).join('\n');
      throw new Error(
        `${peer.contestant.name} returns a different response for ${of.name}, ${request.method} ` +
          `${request.path}:\n${shown}`,
      );
    }
  }
}

interface ComparedResponse {
  readonly status: number;
  readonly body: string;
}

export async function fetchResponse(
  { url }: MeasuredServer,
  { method, path, headers, body }: LoadRequest,
): Promise<ComparedResponse> {
  const response = await fetch(`${url}${path}`, { method, headers, ...(body !== undefined && { body }) });
  return { status: response.status, body: await response.text() };
}

function comparable({ body }: ComparedResponse, { compares }: Case): string {
  if (compares === 'status') return '';
  return compares === 'body' ? body : body.replace(/"id":[0-9]+/, '"id":0');
}
