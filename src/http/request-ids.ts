import { randomUUID } from 'node:crypto';
import type { OpenAPIV3 } from 'openapi-types';
import type { KeyRedactor } from '../api-keys/key-redactor.js';
import type { ContractDocument } from '../openapi/document.js';

export const requestIdHeader = 'X-Request-Id';

/** Assigns request ids, with which clients and operators identify a request. */
export class RequestIds {
  private readonly allowed: RegExp;

  /** @throws TypeError if the contract has no pattern for ids. */
  constructor(
    contract: ContractDocument,
    private readonly redactor: KeyRedactor,
  ) {
    const header = contract.components.headers?.[requestIdHeader] as OpenAPIV3.HeaderObject | undefined;
    const pattern = (header?.schema as OpenAPIV3.SchemaObject | undefined)?.pattern;
    if (pattern === undefined) throw new TypeError(`The contract has no pattern for ${requestIdHeader}.`);
    this.allowed = new RegExp(pattern);
  }

  /** The id that the client sent if it is valid and contains no API key, otherwise a new one. */
  of(sent: string | string[] | undefined): string {
    const isUsable = typeof sent === 'string' && this.allowed.test(sent) && this.redactor.redact(sent) === sent;
    return isUsable ? sent : randomUUID();
  }
}
