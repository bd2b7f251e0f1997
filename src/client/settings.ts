import type { ClientSettings } from '@contract-server/client';
import { contract } from '../../generated/contract.js';
import { PetstoreError } from './petstore-error.js';

export const settings: ClientSettings<PetstoreError> = {
  name: 'petstore-client',
  exampleUrl: `https://api.petstore.example${contract.pathPrefix}`,
  Error: PetstoreError,
};
