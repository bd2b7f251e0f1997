import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { type RequestHandler, Router } from 'express';
import helmet from 'helmet';
import type { ContractDocument } from '../../openapi/document.js';
import { contractPath, docsPath } from '../../openapi/links.js';
import type { ContractSource } from '../../openapi/load-contract.js';
import { publishedDocument } from '../../openapi/published-document.js';
import { documentLimit } from '../address-limit.js';
import { readOnly } from '../middleware/not-found.js';
import { sendResponse } from '../send-response.js';
import { type Read, ServedDocument } from './served-document.js';

/** The build has copied the files of the page, and copied and compressed the viewer. */
const viewer = fileURLToPath(new URL('viewer.js', import.meta.url));

const assets: Readonly<Record<string, ServedDocument>> = {
  'viewer.js': new ServedDocument('text/javascript; charset=utf-8', () => readFile(viewer), {
    br: () => readFile(`${viewer}.br`),
    gzip: () => readFile(`${viewer}.gz`),
  }),
  'page.js': asset('text/javascript', 'page.js'),
  'page.css': asset('text/css', 'page.css'),
  'icon.svg': asset('image/svg+xml', 'icon.svg'),
};

/**
 * The contract, as written and as JSON for tools, and the API reference at `/docs`, which loads nothing from other
 * hosts and sends nothing to them.
 */
export function documents({ bytes, document }: ContractSource): Router {
  const yaml = new ServedDocument('application/yaml', () => bytes, {});
  const json = compressed('application/json', () => Buffer.from(JSON.stringify(publishedDocument(document))));
  const page = compressed('text/html; charset=utf-8', async () => {
    const versions = Object.entries(assets).map(async ([name, each]) => [name, await each.version()] as const);
    return Buffer.from(docsHtml(document, Object.fromEntries(await Promise.all(versions))));
  });
  const router = Router({ caseSensitive: true, strict: true });
  const limit = documentLimit();
  const addRoute = (path: string, handlers: readonly RequestHandler[], optionsHeaders?: Record<string, string>) =>
    router
      .route(path)
      .get(limit, ...handlers)
      .all(readOnly(optionsHeaders));
  addRoute('/', [redirectTo(docsPath.slice(1))]);
  addRoute(`${docsPath}/`, [redirectTo(`..${docsPath}`)]);
  addRoute(docsPath, [protectPage, page.send]);
  for (const [name, { send }] of Object.entries(assets)) addRoute(`${docsPath}/${name}`, [protect, send]);
  addRoute(contractPath, [protect, allowEveryOrigin, yaml.send], preflightHeaders);
  addRoute('/openapi.json', [protect, allowEveryOrigin, json.send], preflightHeaders);
  return router;
}

/**
 * The HTML page around the viewer: title, API key field and downloads. Its URLs are relative, so that it also works
 * below a path prefix of a proxy.
 *
 * @param versions the query of each asset by its name.
 */
function docsHtml(document: ContractDocument, versions: Readonly<Record<string, string>>): string {
  const { title } = document.info;
  const urlOf = (name: string) => `docs/${name}?${versions[name] ?? ''}`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)} API reference</title>
<link rel="icon" href="${urlOf('icon.svg')}" type="image/svg+xml">
<link rel="stylesheet" href="${urlOf('page.css')}">
<script src="${urlOf('viewer.js')}" defer></script>
<script src="${urlOf('page.js')}" defer></script>
</head>
<body>
<a class="skip" href="#content">Skip to the reference</a>
<div id="reference"></div>
<noscript><p>Without JavaScript, read <a href="openapi.yaml">openapi.yaml</a>.</p></noscript>
</body>
</html>
`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}

/** The location is relative, so that it also works below a path prefix of a proxy. */
function redirectTo(location: string): RequestHandler {
  return (_request, response) =>
    sendResponse(response, { status: 302, headers: { Location: location, 'Content-Length': '0' } });
}

function asset(mediaType: string, name: string): ServedDocument {
  return compressed(`${mediaType}; charset=utf-8`, () => readFile(new URL(name, import.meta.url)));
}

/** A document that is compressed for its first request. */
function compressed(mediaType: string, read: Read): ServedDocument {
  return new ServedDocument(mediaType, read, { gzip: async () => promisify(gzip)(await read()) });
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

const none = ["'none'"];
const self = ["'self'"];

/** `Strict-Transport-Security` is the responsibility of the proxy that terminates TLS. */
function protectWith(directives: Readonly<Record<string, string[]>>): RequestHandler {
  const allDirectives = { defaultSrc: none, ...directives, frameAncestors: none };
  const contentSecurityPolicy = { useDefaults: false, directives: allDirectives };
  return helmet({ strictTransportSecurity: false, contentSecurityPolicy });
}

const protect = protectWith({});
/** The page loads scripts, styles and data from this server only, and cannot be embedded in another page. */
const protectPage = protectWith({
  scriptSrc: self,
  // The viewer inserts style elements. The page shows no content of others.
  styleSrc: [...self, "'unsafe-inline'"],
  imgSrc: [...self, 'data:'],
  connectSrc: self,
  baseUri: none,
  formAction: none,
});
