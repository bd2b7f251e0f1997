/**
 * An event of `text/event-stream` (HTML Standard, section 9.2): with data, or a comment, which clients ignore. A
 * field that is null is omitted, except for `data`, where null is a value.
 *
 * @typeParam Data a text is sent as it is, and any other value as JSON.
 */
export type ServerSentEvent<Data = unknown> = DataEvent<Data> | Comment;

interface DataEvent<Data> {
  readonly data: Data;
  /** Its type. Default: `message`. */
  readonly event?: string | null | undefined;
  /** What a client that connects again sends as `Last-Event-ID`. */
  readonly id?: string | null | undefined;
  /** How long a client waits before it connects again, in milliseconds. */
  readonly retry?: number | null | undefined;
  readonly comment?: string | null | undefined;
}

interface Comment extends Partial<Omit<DataEvent<never>, 'comment'>> {
  readonly data?: never;
  readonly comment: string;
}

/** An empty comment, which keeps a connection open (HTML Standard, section 9.2.7). It may be within an event. */
export const heartbeat = ':\n';

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
    ...unlessAbsent(comment, (text) => fieldsOf('', requireText(text))),
    ...unlessAbsent(event, (text) => [`event: ${requireLine('event', text)}`]),
    ...unlessAbsent(id, (text) => [`id: ${requireLine('id', text)}`]),
    ...unlessAbsent(retry, (milliseconds) => [`retry: ${requireInteger(milliseconds)}`]),
    ...(data === undefined ? [] : fieldsOf('data', typeof data === 'string' ? data : writeData(data))),
  ];
  return `${lines.join('\n')}\n\n`;
}

function requireEvent(event: unknown): Partial<DataEvent<unknown>> {
  const { data, comment } = Object(event) as Partial<DataEvent<unknown>>;
  if (data !== undefined || typeof comment === 'string') return event as DataEvent<unknown>;
  throw new TypeError('An event must be an object with `data` or `comment`.');
}

function unlessAbsent<Value>(value: Value | null | undefined, write: (value: Value) => string[]): string[] {
  return value === undefined || value === null ? [] : write(value);
}

/** A field for each line of a text. */
function fieldsOf(name: string, text: string): string[] {
  return text.split(lineBreak).map((line) => `${name}: ${line}`);
}

function requireText(comment: string): string {
  if (typeof comment === 'string') return comment;
  throw new TypeError('The `comment` of an event must be a text.');
}

function requireLine(name: string, text: string): string {
  if (typeof text === 'string' && !lineBreak.test(text) && !text.includes('\0')) return text;
  throw new TypeError(`The \`${name}\` of an event must be a text without line breaks and NUL.`);
}

function requireInteger(milliseconds: number): string {
  if (Number.isSafeInteger(milliseconds) && milliseconds >= 0) return String(milliseconds);
  throw new TypeError('The `retry` of an event must be a number of milliseconds.');
}
