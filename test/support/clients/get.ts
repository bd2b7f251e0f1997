import { type Agent, type IncomingMessage, request } from 'node:http';

/** One request of a client that keeps its connections; resolves with the head of the answer. */
export function get(url: string, token: string, agent: Agent): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { agent, headers: { authorization: `Bearer ${token}` } }, (response) => {
      response.resume().once('end', () => resolve(response));
    });
    sent.once('error', reject).end();
  });
}
