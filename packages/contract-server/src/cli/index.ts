/** What the commands of an application are made of. */

export { printable } from '@contract-server/core/lib/printable.js';
export type { Command } from 'commander';
export { type CommandContext, write } from './context.js';
export {
  addJsonOption,
  type CommandModule,
  type Invocation,
  type JsonOption,
  printResult,
  withStores,
} from './invocation.js';
