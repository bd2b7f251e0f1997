/** What the commands of an application are made of. */
export type { Command } from 'commander';
export { printable } from '../lib/printable.js';
export { type CommandContext, write } from './context.js';
export {
  addJsonOption,
  type CommandModule,
  type Invocation,
  type JsonOption,
  printResult,
  withStores,
} from './invocation.js';
