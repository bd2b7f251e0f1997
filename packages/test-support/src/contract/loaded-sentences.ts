import { operationsOf } from '@contract-server/core/contract/operations.js';
import { loadDocument } from '@contract-server/core/load/load-document.js';
import { expect } from 'chai';
import { stringify } from 'yaml';
import { place } from './contract-errors.js';

export const responses = { 200: { description: 'Done.' } };
export const info = { title: 'Pets', version: '1' };

/** Loads a contract. Returns its problems without their positions, or its operations and its warnings. */
export async function load(contract: object | string, openapi = '3.1.1', files: Readonly<Record<string, string>> = {}) {
  const text = typeof contract === 'string' ? contract : stringify({ openapi, info, ...contract });
  const { url } = place({ 'api.yaml': text, ...files });
  const sentences = (lines: readonly string[]) => lines.map((line) => line.replace(/^.*api\.yaml:\d+:\d+ /, ''));
  try {
    const { document, warnings } = await loadDocument(url);
    const ids = operationsOf(document).map(({ operation }) => operation.operationId);
    return { ids, warnings: sentences(warnings) };
  } catch (error) {
    expect((error as Error).name, String((error as Error).stack)).to.equal('ContractError');
    return { problems: sentences((error as Error).message.split('\n')) };
  }
}
