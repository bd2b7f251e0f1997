import { type ContractDocument, keyPrefixesOf } from '../openapi/document.js';

/** Removes API keys from text that may contain one, before it is sent or logged. */
export class KeyRedactor {
  private readonly keys: RegExp;

  constructor(contract: ContractDocument) {
    this.keys = new RegExp(`(${Object.values(keyPrefixesOf(contract)).join('|')})[0-9A-Za-z]+`, 'g');
  }

  /** Replaces each key by its prefix and an ellipsis. */
  redact(text: string): string {
    return text.replace(this.keys, '$1…');
  }
}
