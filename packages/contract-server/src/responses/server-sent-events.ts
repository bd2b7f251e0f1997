/**
 * An event of `text/event-stream` (HTML Standard, section 9.2): with data, or a comment, which clients ignore.
 *
 * @typeParam Data a text is sent as it is, and any other value as JSON.
 */
export type ServerSentEvent<Data = unknown> = DataEvent<Data> | Comment;

interface DataEvent<Data> {
  readonly data: Data;
  /** Its type. Default: `message`. */
  readonly event?: string | undefined;
  /** What a client that connects again sends as `Last-Event-ID`. */
  readonly id?: string | undefined;
  /** How long a client waits before it connects again, in milliseconds. */
  readonly retry?: number | undefined;
  readonly comment?: string | undefined;
}

interface Comment extends Partial<Omit<DataEvent<never>, 'comment'>> {
  readonly data?: never;
  readonly comment: string;
}

/** An empty comment, which keeps a connection open (HTML Standard, section 9.2.7). */
export const heartbeat = ':\n\n';

const lineBreak = /\r\n|\r|\n/;

/**
 * Writes an event.
 *
 * @param writeData writes data that is not a text.
 * @throws TypeError for an event that cannot be written.
 */
export function writeEvent(written: unknown, writeData: (data: unknown) => string): string {
  const { data, event, id, retry, comment } = requireEvent(written);
  const lines = [
    ...(comment === undefined ? [] : fieldsOf('', comment)),
    ...(event === undefined ? [] : [`event: ${requireLine('event', event)}`]),
    ...(id === undefined ? [] : [`id: ${requireLine('id', id)}`]),
    ...(retry === undefined ? [] : [`retry: ${requireInteger(retry)}`]),
    ...(data === undefined ? [] : fieldsOf('data', typeof data === 'string' ? data : writeData(data))),
  ];
  return `${lines.join('\n')}\n\n`;
}

function requireEvent(event: unknown): Partial<DataEvent<unknown>> {
  const { data, comment } = Object(event) as Partial<DataEvent<unknown>>;
  if (data !== undefined || typeof comment === 'string') return event as DataEvent<unknown>;
  throw new TypeError('An event must be an object with `data` or `comment`.');
}

/** A field for each line of a text. */
function fieldsOf(name: string, text: string): string[] {
  return text.split(lineBreak).map((line) => `${name}: ${line}`);
}

function requireLine(name: string, text: string): string {
  if (typeof text === 'string' && !lineBreak.test(text) && !text.includes('\0')) return text;
  throw new TypeError(`The \`${name}\` of an event must be a text without line breaks and NUL.`);
}

function requireInteger(milliseconds: number): string {
  if (Number.isSafeInteger(milliseconds) && milliseconds >= 0) return String(milliseconds);
  throw new TypeError('The `retry` of an event must be a number of milliseconds.');
}
