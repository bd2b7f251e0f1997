import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Route } from '../contract/operation-table.js';
import type { Admission } from '../domain/limits.js';

/** One request on its way down and its answer on its way up. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly path: string;
  /** Without the question mark. */
  readonly query: string;
  readonly route: Route;
  /** Known once the limiter has decided. */
  admission?: Admission;
}

/** What is to be written as an answer; a body is JSON text. */
export interface HttpReply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string;
}

/** The path and the query of a request target in origin form or absolute form (RFC 9112, section 3.2). */
export function splitTarget(target: string): { readonly path: string; readonly query: string } {
  const origin = /^https?:\/\/[^/?#]*/i.exec(target);
  const relative = origin === null ? target : target.slice(origin[0].length);
  const mark = relative.indexOf('?');
  const path = mark < 0 ? relative : relative.slice(0, mark);
  return { path: path === '' ? '/' : path, query: mark < 0 ? '' : relative.slice(mark + 1) };
}
