import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Document } from '@redocly/openapi-core';
import { ContractError } from '../contract/contract-error.js';
import { copyOf, OverlayRun } from './apply-overlay.js';
import { FileReader } from './file-reader.js';
import { Origins } from './origins.js';
import { type LineOptions, linesOf } from './problem-lines.js';
import { inOverlay, type Overlay, readOverlay } from './read-overlay.js';
import { refuse } from './refuse.js';

export interface OpenOptions {
  /** The text of a document that is no file; the URL is where its references lead from. */
  readonly text?: string;
  /** The file of an overlay, whose changes are made to the first file before anything is checked. */
  readonly overlay?: URL | undefined;
}

/** The parsed file of a contract, with the changes of its overlay. */
export interface OpenedDocument {
  readonly root: Document;
  /** Reads the other files, and returns this one. */
  readonly reader: FileReader;
  readonly lineOptions: LineOptions;
  readonly overlay: Overlay | undefined;
  /** Lines about the overlay. */
  readonly warnings: readonly string[];
}

/**
 * Reads the file of a contract, and applies an overlay to it.
 *
 * @throws ContractError if one of them cannot be read, or the overlay is invalid.
 */
export async function openDocument(url: URL, options: OpenOptions): Promise<OpenedDocument> {
  const { text } = options;
  const path = fileURLToPath(url);
  const overlay = options.overlay && (await readOverlay(options.overlay));
  let [origins, run]: [Origins?, OverlayRun?] = [];
  const reader = new FileReader(path, text, ({ source, parsed }) => {
    if (overlay === undefined) return parsed;
    origins = new Origins(source);
    const document = copyOf(parsed);
    run = new OverlayRun(document, overlay.source, origins);
    run.run(overlay.actions);
    return document;
  });
  const root = (await reader.resolveDocument(null, path, true).catch(refuse(path))) as Document;
  const lineOptions = { document: root.parsed as object, source: root.source, isText: text !== undefined, origins };
  if (overlay === undefined) return { root, reader, lineOptions, overlay, warnings: [] };
  const problems = [...otherContract(overlay, url), ...((run as OverlayRun | undefined)?.problems ?? [])];
  const lines = (isWarning: boolean) =>
    linesOf(
      problems.filter((each) => (each.isWarning === true) === isWarning).map((each) => inOverlay(overlay.source, each)),
      lineOptions,
    );
  const errors = lines(false);
  if (errors.length > 0) throw new ContractError(errors.join('\n'));
  return { root, reader, lineOptions, overlay, warnings: lines(true) };
}

/** A file that `extends` names is the contract; a URL may be where the contract was copied from. */
function otherContract({ source, extends: named }: Overlay, contract: URL) {
  const { href } = pathToFileURL(source.absoluteRef);
  const url = named !== undefined && URL.canParse(named, href) ? new URL(named, href) : contract;
  if (url.protocol !== 'file:' || url.pathname === contract.pathname) return [];
  return [{ path: ['extends'], message: 'The overlay is written for another contract.', isWarning: true as const }];
}
