import { type Agent, type IncomingMessage, request } from 'node:http';

/** Sends one GET through a keep-alive agent. Resolves with the head of the response. */
export function get(url: string, token: string, agent: Agent): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { agent, headers: { authorization: `Bearer ${token}` } }, (response) => {
      response.resume().once('end', () => resolve(response));
    });
    sent.once('error', reject).end();
  });
}
