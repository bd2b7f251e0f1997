interface Client {
  readonly token: string;
}

/** A client whose key is a placeholder. */
export const client: Client = { token: '<key>' };

/** Bytes that are no HTTP. */
export const nonsense = 'nonsense\r\n\r\n';

export const host = 'Host: x';
export const json = 'Content-Type: application/json';
export const chunked = 'Transfer-Encoding: chunked';
export const keyOf = ({ token }: Client) => `Authorization: Bearer ${token}`;
export const lengthOf = (body: string) => `Content-Length: ${String(Buffer.byteLength(body))}`;

export const message = (lines: readonly string[], body = '') => `${lines.join('\r\n')}\r\n\r\n${body}`;

/** A GET request with the key of a client. */
export const get = (client: Client, target = '/v1/pets', ...lines: readonly string[]) =>
  message([`GET ${target} HTTP/1.1`, host, keyOf(client), ...lines]);

/** The request line and headers of createPet, with the key of a client. The lines describe the body. */
export const creationHead = (client: Client, ...lines: readonly string[]) =>
  message(['POST /v1/pets HTTP/1.1', host, keyOf(client), ...lines]);

/** A request of createPet. */
export const creation = (client: Client, body: string) => creationHead(client, json, lengthOf(body)) + body;
