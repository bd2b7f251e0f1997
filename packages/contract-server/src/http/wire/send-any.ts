import type { ServerResponse } from 'node:http';
import type { Report } from '@contract-server/core/lib/errors.js';
import { FileBody } from '@contract-server/core/responses/file-body.js';
import { discardStream, StreamedBody } from '@contract-server/core/responses/streamed-body.js';
import { type AnyResponse, type FileResponse, requireContext, type StreamedResponse } from '../request-context.js';
import { hasTooMany, waitForTurn } from './pipelining.js';
import { sendFile } from './send-file.js';
import { sendResponse } from './send-response.js';
import { sendStream } from './send-stream.js';

/**
 * Sends a response with any body. A stream or a file is opened when the responses to earlier requests have been sent. A
 * client that pipelines too many requests behind one is disconnected.
 *
 * @param report receives an error after the first byte of a stream or a file.
 * @throws an error before it; the promise then rejects.
 */
export function sendAny(response: ServerResponse, reply: AnyResponse, report: Report): Promise<void> | undefined {
  if (isStreamed(reply) || isFile(reply)) return sendLong(response, reply, report);
  sendResponse(response, reply);
  return undefined;
}

async function sendLong(
  response: ServerResponse,
  reply: StreamedResponse | FileResponse,
  report: Report,
): Promise<void> {
  const context = requireContext(response.req);
  const { connection, request } = context;
  // A response to HEAD has no body.
  const isLong = request.method !== 'HEAD';
  if (isLong) connection.longResponses += 1;
  try {
    if (isLong && hasTooMany(connection)) {
      discardStream(reply.body);
      response.req.socket.destroy();
      return;
    }
    await waitForTurn(context);
    await (isStreamed(reply) ? sendStream(response, reply, report) : sendFile(response, reply, report));
  } finally {
    if (isLong) connection.longResponses -= 1;
  }
}

function isStreamed(reply: AnyResponse): reply is StreamedResponse {
  return reply.body instanceof StreamedBody;
}

function isFile(reply: AnyResponse): reply is FileResponse {
  return reply.body instanceof FileBody;
}
