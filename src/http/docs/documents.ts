import { readFile } from 'node:fs/promises';
import helmet from 'helmet';
import type { ContractSource } from '../../openapi/load-contract.js';
import { contractPath } from '../links.js';
import type { RequestContext } from '../request-context.js';
import type { Resources } from '../routes.js';
import { type DocumentParts, ServedDocument } from './served-document.js';

// What a browser reads is not compiled, so it is read where it is written.
const pageFolder = new URL('../../../src/http/docs/', import.meta.url);

/** In the order in which they build upon each other. */
const sheets = ['frame.css', 'guide.css', 'operations.css', 'trying.css', 'narrow.css'];

/**
 * What there is to read about the service: the contract, as it is written and as JSON for tools, and a page that shows
 * it and tries it out. Nothing on that page comes from another host, and it sends nothing to one. What only readers
 * need is loaded for the first of them.
 */
export function createDocuments({ bytes, document }: ContractSource): Resources {
  const viewer = new URL('./', import.meta.resolve('swagger-ui-dist/package.json'));
  const assets = {
    'viewer.js': asset('text/javascript', new URL('swagger-ui-bundle.js', viewer)),
    'viewer.css': asset('text/css', new URL('swagger-ui.css', viewer)),
    'page.js': asset('text/javascript', new URL('page.js', pageFolder)),
    ...Object.fromEntries(sheets.map((name) => [name, asset('text/css', new URL(name, pageFolder))])),
    'icon.svg': asset('image/svg+xml', new URL('icon.svg', pageFolder)),
  };
  const page = new ServedDocument({
    mediaType: 'text/html; charset=utf-8',
    isCompressed: true,
    read: async () => {
      const { docsHtml } = await import('./docs-html.js');
      const versions = Object.entries(assets).map(async ([name, each]) => [name, await each.version()] as const);
      return Buffer.from(docsHtml(document, Object.fromEntries(await Promise.all(versions))));
    },
    addHeaders: protectPage,
  });
  return {
    '/': { get: () => Promise.resolve({ status: 302, headers: { Location: 'docs', 'Content-Length': '0' } }) },
    '/docs': page,
    ...Object.fromEntries(Object.entries(assets).map(([name, each]) => [`/docs/${name}`, each])),
    [contractPath]: open({ mediaType: 'application/yaml', isCompressed: false, read: () => bytes }),
    '/openapi.json': open({
      mediaType: 'application/json',
      isCompressed: true,
      read: async () => {
        const { publishedDocument: documentForReaders } = await import('../../openapi/published-document.js');
        return Buffer.from(JSON.stringify(documentForReaders(document)));
      },
    }),
  };
}

function asset(mediaType: string, file: URL): ServedDocument {
  return new ServedDocument({
    mediaType: `${mediaType}; charset=utf-8`,
    isCompressed: true,
    read: () => readFile(file),
    addHeaders: protect,
  });
}

/** A document that the pages of every origin may read: client teams, viewers and editors live elsewhere. */
function open(parts: Omit<DocumentParts, 'addHeaders' | 'optionsHeaders'>): ServedDocument {
  return new ServedDocument({
    ...parts,
    addHeaders: (context) => {
      protect(context);
      context.response.setHeader('Access-Control-Allow-Origin', '*');
      context.response.setHeader('Access-Control-Expose-Headers', 'ETag, X-Request-Id');
      context.response.setHeader('Cross-Origin-Resource-Policy', 'cross-origin');
    },
    optionsHeaders: {
      'Access-Control-Allow-Origin': '*',
      'Access-Control-Allow-Methods': 'GET, HEAD',
      'Access-Control-Allow-Headers': 'If-None-Match',
    },
  });
}

/** Whether browsers are to insist on TLS for the host is for whoever ends TLS there. */
const common = { strictTransportSecurity: false } as const;
const nothing = ["'none'"];
const ourselves = ["'self'"];

const protect = through(
  helmet({
    ...common,
    contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: nothing, frameAncestors: nothing } },
  }),
);

/** The page runs and loads what this server has, talks to nobody else, and is shown in no other page. */
const protectPage = through(
  helmet({
    ...common,
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: nothing,
        scriptSrc: ourselves,
        styleSrc: ourselves,
        imgSrc: [...ourselves, 'data:'],
        connectSrc: ourselves,
        baseUri: nothing,
        formAction: nothing,
        frameAncestors: nothing,
      },
    },
  }),
);

function through(middleware: ReturnType<typeof helmet>): (context: RequestContext) => void {
  return ({ request, response }) => middleware(request, response, () => undefined);
}
