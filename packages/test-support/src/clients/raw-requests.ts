interface Client {
  readonly token: string;
  /** Of an operation that creates and one that lists. */
  readonly path?: string;
}

const toysPath = '/v1/toys';

/** A client whose key is a placeholder. */
export const client: Client = { token: '<key>' };

/** A body of createToy, of 29 bytes. */
export const toy = '{"name":"Block","weight":100}';

/** The path of no operation. */
export const unknownPath = '/v1/nothing';

/** Bytes that are no HTTP. */
export const nonsense = 'nonsense\r\n\r\n';

export const host = 'Host: x';
export const json = 'Content-Type: application/json';
export const chunked = 'Transfer-Encoding: chunked';
export const keyOf = ({ token }: Client) => `Authorization: Bearer ${token}`;
export const lengthOf = (body: string) => `Content-Length: ${String(Buffer.byteLength(body))}`;

export const message = (lines: readonly string[], body = '') => `${lines.join('\r\n')}\r\n\r\n${body}`;

/** A GET request with the key of a client. */
export const get = (client: Client, target = client.path ?? toysPath, ...lines: readonly string[]) =>
  message([`GET ${target} HTTP/1.1`, host, keyOf(client), ...lines]);

/** The request line and headers of a creation, with the key of a client. The lines describe the body. */
export const creationHead = (client: Client, ...lines: readonly string[]) =>
  message([`POST ${client.path ?? toysPath} HTTP/1.1`, host, keyOf(client), ...lines]);

/** A creation. */
export const creation = (client: Client, body: string) => creationHead(client, json, lengthOf(body)) + body;
