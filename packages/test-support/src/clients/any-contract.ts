import type { ContractValues } from '@contract-server/client/index.js';

/** The types of a contract that a test writes at run time. */
export interface AnyContract extends ContractValues {
  readonly paths: Readonly<Record<string, { readonly get: object; readonly put: object }>>;
}

/** The values of a contract without anything special. */
export const noValues = { version: '1', pathPrefix: '', prefixes: {}, styles: {}, mediaTypes: {}, schemes: {} };
