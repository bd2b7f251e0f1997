import { randomUUID } from 'node:crypto';
import type { OpenAPIV3 } from 'openapi-types';
import type { KeyRedactor } from '../api-keys/key-redactor.js';
import type { ContractDocument } from '../openapi/document.js';

export const requestIdHeader = 'X-Request-Id';

/** Names exchanges, so that a client and the operator can speak about the same one. */
export class RequestIds {
  private readonly allowed: RegExp;

  /** @throws TypeError if the contract does not say what an id looks like. */
  constructor(
    contract: ContractDocument,
    private readonly redactor: KeyRedactor,
  ) {
    const header = contract.components.headers?.[requestIdHeader] as OpenAPIV3.HeaderObject | undefined;
    const pattern = (header?.schema as OpenAPIV3.SchemaObject | undefined)?.pattern;
    if (pattern === undefined) throw new TypeError(`The contract has no pattern for ${requestIdHeader}.`);
    this.allowed = new RegExp(pattern);
  }

  /** The id that a client sent if it is one that the contract allows and holds no key; else a new one. */
  of(sent: string | string[] | undefined): string {
    const isUsable = typeof sent === 'string' && this.allowed.test(sent) && this.redactor.redact(sent) === sent;
    return isUsable ? sent : randomUUID();
  }
}
