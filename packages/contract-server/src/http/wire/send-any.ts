import type { ServerResponse } from 'node:http';
import type { Report } from '../../lib/errors.js';
import { FileBody } from '../../responses/file-body.js';
import { StreamedBody } from '../../responses/streamed-body.js';
import type { AnyResponse, FileResponse, StreamedResponse } from '../request-context.js';
import { sendFile } from './send-file.js';
import { sendResponse } from './send-response.js';
import { sendStream } from './send-stream.js';

/**
 * Sends a response with any body.
 *
 * @param report receives an error after the first byte of a stream or a file.
 * @throws an error before it; the promise then rejects.
 */
export function sendAny(response: ServerResponse, reply: AnyResponse, report: Report): Promise<void> | undefined {
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
