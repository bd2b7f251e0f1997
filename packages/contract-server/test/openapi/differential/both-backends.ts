import { expect } from 'chai';
import { type Context, type Handler, OpenAPIBackend, type Options, type Request } from 'openapi-backend';
import { accelerate } from '#src/index.js';
import { plain } from './plain.js';
import { createDocument } from './toys-document.js';

/** A request as an application passes it: openapi-backend accepts more than its types allow. */
export type Sent = Partial<Record<'query' | 'body' | 'headers', unknown>> & Pick<Request, 'method' | 'path'>;

/** The result of a request: the handler that was called, and what it received. */
export type Result = {
  readonly handler: string;
  readonly context: Readonly<Record<string, unknown>>;
};

const ids = ['listToys', 'createToy', 'getToy', 'deleteMine', 'putPart'];
const lifecycleHandlers = ['notFound', 'methodNotAllowed', 'validationFail', 'unauthorizedHandler', 'notImplemented'];

/** Options as the README of openapi-backend shows them, whose handlers return what they receive. */
export function createOptions(changes: Partial<Options> = {}): Options {
  return {
    definition: createDocument(),
    apiRoot: '/v1',
    coerceTypes: true,
    ajvOpts: { useDefaults: true, logger: false },
    handlers: Object.fromEntries([...ids, ...lifecycleHandlers].map((name) => [name, recorder(name)])),
    securityHandlers: { key: ({ request }: Context) => (request.headers as { authorization?: unknown }).authorization },
    ...changes,
  };
}

/** The same instance as openapi-backend creates it, and accelerated. */
export interface Both {
  readonly stock: OpenAPIBackend;
  readonly accelerated: OpenAPIBackend;
}

/** @param create is called twice, because an instance replaces the references of its document. */
export async function createBoth(create: () => Options = createOptions): Promise<Both> {
  const stock = await new OpenAPIBackend(create()).init();
  return { stock, accelerated: await accelerate(new OpenAPIBackend(create())) };
}

/** Sends a request to both, with the arguments of their handlers. */
export async function sendToBoth({ stock, accelerated }: Both, sent: () => Sent, ...args: readonly unknown[]) {
  return { stock: await send(stock, sent(), args), accelerated: await send(accelerated, sent(), args) };
}

/** Expects that an instance with these options handles requests as before. Returns the handlers, or thrown messages. */
export async function expectSame(changes: Partial<Options>, ...requests: readonly Sent[]): Promise<readonly unknown[]> {
  // With `quick`, the original compiles only what it needs.
  const both = await createBoth(() => createOptions({ quick: true, ...changes }));
  const names: unknown[] = [];
  for (const sent of requests) {
    const { stock, accelerated } = await sendToBoth(both, () => structuredClone(sent), 'first');
    expect(plain(accelerated), JSON.stringify(sent)).to.deep.equal(plain(stock));
    const { handler, thrown } = accelerated as Readonly<Record<'handler' | 'thrown', unknown>>;
    names.push(handler ?? thrown);
  }
  return names;
}

/** The result of a request, or the message of the error that it is rejected with. */
async function send(api: OpenAPIBackend, sent: Sent, args: readonly unknown[]): Promise<unknown> {
  try {
    return await api.handleRequest(sent as Request, ...args);
  } catch (error) {
    return { thrown: (error as Error).message };
  }
}

/** A handler that returns what it receives. */
export function recorder(handler: string): Handler {
  return (context: Context, ...args: readonly unknown[]) => ({ handler, context: recordOf(context), args });
}

/** What a handler can read of its context, as plain values. */
function recordOf({ api, request, operation, validation, security, response }: Partial<Context>): Result['context'] {
  const errors = validation?.errors?.map(({ instancePath }) => instancePath);
  return structuredClone({
    isInstance: api instanceof OpenAPIBackend,
    request,
    // Its schemas can contain themselves.
    operationId: operation?.operationId,
    isValid: validation?.valid,
    errors,
    security,
    response: response as unknown,
  });
}
