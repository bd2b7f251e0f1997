import type { ServerResponse } from 'node:http';
import type { Report } from '../../lib/errors.js';
import { FileBody } from '../../responses/file-body.js';
import { discardStream, StreamedBody } from '../../responses/streamed-body.js';
import { type AnyResponse, type FileResponse, requireContext, type StreamedResponse } from '../request-context.js';
import { sendFile } from './send-file.js';
import { sendResponse } from './send-response.js';
import { sendStream } from './send-stream.js';

/** Maximum number of requests in progress on a connection of which one has a stream or a file as its response. */
const pipelinedMax = 100;

/**
 * Sends a response with any body. A client that pipelines too many requests for streams and files, which stay open
 * although only one is sent at a time, is disconnected.
 *
 * @param report receives an error after the first byte of a stream or a file.
 * @throws an error before it; the promise then rejects.
 */
export function sendAny(response: ServerResponse, reply: AnyResponse, report: Report): Promise<void> | undefined {
  const isLong = isStreamed(reply) || isFile(reply);
  if (isLong && requireContext(response.req).connection.pending.size > pipelinedMax) {
    discardStream(reply.body);
    response.req.socket.destroy();
    return undefined;
  }
  if (isStreamed(reply)) return sendStream(response, reply, report);
  if (isFile(reply)) return sendFile(response, reply, report);
  sendResponse(response, reply);
  return undefined;
}

function isStreamed(reply: AnyResponse): reply is StreamedResponse {
  return reply.body instanceof StreamedBody;
}

function isFile(reply: AnyResponse): reply is FileResponse {
  return reply.body instanceof FileBody;
}
