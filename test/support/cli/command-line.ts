import { commandLineOf } from '@contract-server/test-support/cli/command-line.js';
import { service } from '#src/service.js';

export { failure, type RunOptions, success } from '@contract-server/test-support/cli/command-line.js';
export type { IssuedKeyView } from '@contract-server/test-support/cli/issued-keys.js';

/** `petstore` in this process; with `petstoreJson`, its output with `--json`. */
export const { run: petstore, runJson: petstoreJson } = commandLineOf(service);
