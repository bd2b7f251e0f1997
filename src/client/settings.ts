import type { ClientSettings } from 'contract-server/client';
import type { Contract } from '../../generated/contract.js';
import { PetstoreError } from './petstore-error.js';

const version: Contract['version'] = '1.0.0';
const pathPrefix: Contract['pathPrefix'] = '/v1';

export const settings: ClientSettings = {
  name: 'petstore-client',
  version,
  pathPrefix,
  exampleUrl: `https://api.petstore.example${pathPrefix}`,
  Error: PetstoreError,
};
