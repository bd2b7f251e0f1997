import { starterOf } from '@contract-server/test-support/cli/running-command.js';
import { petstore } from './command-line.js';

export { baseUrlOf } from '@contract-server/test-support/cli/running-command.js';

export const startCommand = starterOf(petstore);
