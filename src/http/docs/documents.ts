import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { type RequestHandler, Router } from 'express';
import helmet from 'helmet';
import type { ContractSource } from '../../openapi/load-contract.js';
import { publishedDocument } from '../../openapi/published-document.js';
import { contractPath, docsPath } from '../links.js';
import { readOnly } from '../middleware/method-not-allowed.js';
import { sendResponse } from '../send-response.js';
import { docsHtml } from './docs-html.js';
import { type Read, ServedDocument } from './served-document.js';

/** The build has copied the files of the page, and copied and compressed the viewer. */
const pageFolder = new URL('./', import.meta.url);
const viewer = new URL('viewer.js', import.meta.url);

const assets: Readonly<Record<string, ServedDocument>> = {
  'viewer.js': new ServedDocument({
    mediaType: 'text/javascript; charset=utf-8',
    read: () => readFile(viewer),
    encodings: {
      br: () => readFile(`${fileURLToPath(viewer)}.br`),
      gzip: () => readFile(`${fileURLToPath(viewer)}.gz`),
    },
  }),
  'page.js': asset('text/javascript', 'page.js'),
  'page.css': asset('text/css', 'page.css'),
  'icon.svg': asset('image/svg+xml', 'icon.svg'),
};

/**
 * The contract, as written and as JSON for tools, and the API reference at `/docs`, which loads nothing from other
 * hosts and sends nothing to them.
 *
 * @param limit runs before each GET and HEAD.
 */
export function documents({ bytes, document }: ContractSource, limit: RequestHandler): Router {
  const yaml = new ServedDocument({ mediaType: 'application/yaml', read: () => bytes, encodings: {} });
  const json = compressed('application/json', () => Buffer.from(JSON.stringify(publishedDocument(document))));
  const page = compressed('text/html; charset=utf-8', async () => {
    const versions = Object.entries(assets).map(async ([name, each]) => [name, await each.version()] as const);
    return Buffer.from(docsHtml(document, Object.fromEntries(await Promise.all(versions))));
  });
  const router = Router({ caseSensitive: true, strict: true });
  router
    .route('/')
    .get(limit, redirectTo(docsPath.slice(1)))
    .all(readOnly());
  router
    .route(`${docsPath}/`)
    .get(limit, redirectTo(`..${docsPath}`))
    .all(readOnly());
  router.route(docsPath).get(limit, protectPage, page.send).all(readOnly());
  for (const [name, { send }] of Object.entries(assets)) {
    router.route(`${docsPath}/${name}`).get(limit, protect, send).all(readOnly());
  }
  router.route(contractPath).get(limit, protect, allowEveryOrigin, yaml.send).all(readOnly(preflightHeaders));
  router.route('/openapi.json').get(limit, protect, allowEveryOrigin, json.send).all(readOnly(preflightHeaders));
  return router;
}

/** The location is relative, so that it also works below a path prefix of a proxy. */
function redirectTo(location: string): RequestHandler {
  return (_request, response) =>
    sendResponse(response, { status: 302, headers: { Location: location, 'Content-Length': '0' } });
}

function asset(mediaType: string, name: string): ServedDocument {
  return compressed(`${mediaType}; charset=utf-8`, () => readFile(new URL(name, pageFolder)));
}

/** A document that is compressed for its first request. */
function compressed(mediaType: string, read: Read): ServedDocument {
  return new ServedDocument({ mediaType, read, encodings: { gzip: async () => gzipAsync(await read()) } });
}

/** Lets the pages of every origin read the contract: editors, viewers and client teams. */
const allowEveryOrigin: RequestHandler = (_request, response, next) => {
  response.set({
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Expose-Headers': 'ETag, X-Request-Id',
    'Cross-Origin-Resource-Policy': 'cross-origin',
  });
  next();
};

const preflightHeaders = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Allow-Methods': 'GET, HEAD',
  'Access-Control-Allow-Headers': 'If-None-Match',
};

const gzipAsync = promisify(gzip);
const none = ["'none'"];
const self = ["'self'"];

/** `Strict-Transport-Security` is the responsibility of the proxy that terminates TLS. */
const strictTransportSecurity = false;

const protect = helmet({
  strictTransportSecurity,
  contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: none, frameAncestors: none } },
});

/** The page loads scripts, styles and data from this server only, and cannot be embedded in another page. */
const protectPage = helmet({
  strictTransportSecurity,
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      defaultSrc: none,
      scriptSrc: self,
      // The viewer inserts style elements. The page shows no content of others.
      styleSrc: [...self, "'unsafe-inline'"],
      imgSrc: [...self, 'data:'],
      connectSrc: self,
      baseUri: none,
      formAction: none,
      frameAncestors: none,
    },
  },
});
