import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { ErrorCodes } from '@contract-server/core/contract/error-codes.js';
import { ownPaths } from '@contract-server/core/contract/own-paths.js';
import { viewerDocument } from '@contract-server/core/contract/viewer-document.js';
import { stringifyJson } from '@contract-server/core/json/exact-json.js';
import type { ServedContract } from '@contract-server/core/load/load-contract.js';
import cors from 'cors';
import { type RequestHandler, Router } from 'express';
import helmet from 'helmet';
import { packageFolder } from '../../lib/package-folder.js';
import { documentLimit } from '../limits/address-limit.js';
import { readOnly } from '../middleware/read-only.js';
import { type HttpResponse, requireContext } from '../request-context.js';
import { sendResponse } from '../wire/send-response.js';

const { root, docs, contract, contractAsJson } = ownPaths;
const javascript = 'text/javascript; charset=utf-8';

/** The build has copied the files of the page, and copied and compressed the viewer. */
const assets: Readonly<Record<string, RequestHandler>> = {
  'viewer.js': prepareDocument(javascript, asset('dist/viewer.js'), {
    br: asset('dist/viewer.js.br'),
    gzip: asset('dist/viewer.js.gz'),
  }),
  'page.js': prepareDocument(javascript, asset('viewer/page.js')),
  'page.css': prepareDocument('text/css; charset=utf-8', asset('viewer/page.css')),
  'icon.svg': prepareDocument('image/svg+xml; charset=utf-8', asset('viewer/icon.svg')),
};

/**
 * The contract, as written and converted to JSON, and the API reference at `/docs`, which loads nothing from other
 * hosts and sends nothing to them.
 *
 * @param codes those that the server returns, with their statuses.
 */
export function documents(served: ServedContract, codes: ErrorCodes): Router {
  const { bytes, document } = served;
  const yamlDocument = prepareDocument('application/yaml', () => bytes);
  // Loaded on demand, for a fast startup.
  const jsonDocument = prepareJson(async () =>
    (await import('@contract-server/core/load/yaml-to-json.js')).yamlToJson(bytes.toString()),
  );
  const page = () => Buffer.from(docsHtml(document.info.title));
  const router = Router({ caseSensitive: true, strict: true });
  const limit = documentLimit();
  const addRoute = (path: string, ...handlers: RequestHandler[]) => router.get(path, handlers).all(path, readOnly);
  const serve = (path: string, prepare: RequestHandler, ...others: readonly RequestHandler[]) =>
    addRoute(path, prepare, limit, protect, ...others, sendDocument);
  addRoute(root, limit, redirectTo(docs.slice(1)));
  addRoute(`${docs}/`, limit, redirectTo(`..${docs}`));
  serve(docs, prepareDocument('text/html; charset=utf-8', page));
  for (const [name, prepare] of Object.entries(assets)) serve(`${docs}/${name}`, prepare);
  serve(
    `${docs}/openapi.json`,
    prepareJson(() => stringifyJson(viewerDocument(served, codes))),
  );
  router.options([contract, contractAsJson], allowEveryOrigin);
  serve(contract, yamlDocument, allowEveryOrigin);
  serve(contractAsJson, jsonDocument, allowEveryOrigin);
  return router;
}

/** The HTML page around the viewer. Its URLs are relative, so that it also works below a path prefix of a proxy. */
function docsHtml(title: string): string {
  const [folder, yaml] = [docs.slice(1), contract.slice(1)];
  const escaped = title.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped.replace(/ API$/, '')} API reference</title>
<link rel="icon" href="${folder}/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${folder}/page.css">
<script src="${folder}/viewer.js" defer></script>
<script src="${folder}/page.js" defer></script>
</head>
<body>
<a class="skip" href="#content">Skip to the reference</a>
<div id="reference"></div>
<noscript><p>Without JavaScript, read <a href="${yaml}">${yaml}</a>.</p></noscript>
</body>
</html>
`;
}

/** The location is relative, so that it also works below a path prefix of a proxy. */
function redirectTo(location: string): RequestHandler {
  return (_request, response) => sendResponse(response, { status: 302, headers: { Location: location } });
}

function asset(path: string): Read {
  return () => readFile(new URL(path, packageFolder));
}

type Read = () => Promise<Uint8Array> | Uint8Array;

function prepareJson(write: () => Promise<string> | string): RequestHandler {
  const read = async () => Buffer.from(await write());
  return prepareDocument('application/json', read, { gzip: async () => promisify(gzip)(await read()) });
}

/** Caches revalidate the document before each use. */
const cacheControl = 'no-cache';

/**
 * Prepares a document from memory for `sendDocument`, with a strong ETag for each content coding: then `request.fresh`
 * is known, on which the limit depends.
 *
 * @param read is called for the first request, and again after it has failed: startup does not wait for it.
 * @param encodings the compressed forms of the document by their content coding, the preferred one first; read when the
 * first client accepts the coding.
 */
export function prepareDocument(
  mediaType: string,
  read: Read,
  encodings: Readonly<Record<string, Read>> = {},
): RequestHandler {
  const plain = memoize(read);
  const encoded = Object.entries(encodings).map(([coding, each]) => [coding, memoize(each)] as const);
  return async (request, response, next) => {
    const accepted = encoded.find(([each]) => request.acceptsEncodings(each, 'identity') === each);
    const [coding, representation] = accepted ?? [undefined, plain];
    const { bytes, etag } = await representation();
    // Rejected meanwhile, because its body is malformed.
    if (requireContext(request).errorCode !== undefined) return;
    response.set('ETag', etag);
    if (encoded.length > 0) response.vary('Accept-Encoding');
    const headers = coding === undefined ? undefined : { 'Content-Encoding': coding };
    response.locals['document'] = { status: 200, headers, body: bytes, mediaType, cacheControl };
    next();
  };
}

/** Sends the document, or a 304: Express compares the ETag with `If-None-Match`. */
export const sendDocument: RequestHandler = ({ fresh }, response) =>
  sendResponse(response, fresh ? { status: 304, cacheControl } : (response.locals['document'] as HttpResponse));

/** Reads the document once, and again only after that has failed. Its ETag is strong (RFC 9110, section 8.8.3). */
function memoize(read: Read) {
  let reading: ReturnType<typeof readOnce> | undefined;
  const readOnce = async () => {
    const bytes = await read();
    return { bytes, etag: `"${createHash('sha256').update(bytes).digest('base64url')}"` };
  };
  return () => {
    reading ??= readOnce().catch((error: unknown) => {
      reading = undefined;
      throw error;
    });
    return reading;
  };
}

/** Lets the pages of every origin read the contract: editors, viewers and client teams. */
const allowEveryOrigin = cors({
  methods: ['GET', 'HEAD'],
  allowedHeaders: 'If-None-Match',
  exposedHeaders: ['ETag', 'X-Request-Id'],
  preflightContinue: true,
});

const self = "'self'";
const none = "'none'";

/**
 * The page loads scripts, styles and data from this server only, and cannot be embedded in another page. Documents are
 * public. `Strict-Transport-Security` is the responsibility of the proxy that terminates TLS.
 */
const protect = helmet({
  strictTransportSecurity: false,
  crossOriginResourcePolicy: { policy: 'cross-origin' },
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      defaultSrc: none,
      scriptSrc: self,
      // The viewer inserts style elements. The page shows no content of others.
      styleSrc: [self, "'unsafe-inline'"],
      imgSrc: [self, 'data:'],
      connectSrc: self,
      baseUri: none,
      formAction: none,
      frameAncestors: none,
    },
  },
});
