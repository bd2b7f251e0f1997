import { type ContractDocument, keyPrefixesOf } from '../openapi/document.js';

/** Takes API keys out of text that a client may have put one into, before it gets into an answer or a log. */
export class KeyRedactor {
  private readonly keys: RegExp;

  constructor(contract: ContractDocument) {
    this.keys = new RegExp(`(${Object.values(keyPrefixesOf(contract)).join('|')})[0-9A-Za-z]+`, 'g');
  }

  /** The text with an ellipsis in place of each key; the prefix stays, and tells what stood there. */
  redact(text: string): string {
    return text.replace(this.keys, '$1…');
  }
}
