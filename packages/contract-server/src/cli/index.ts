/** What the commands of an application are made of. */
export type { Command } from 'commander';
export { printable } from '../lib/printable.js';
export { type BodyRule, requireBodyRule } from '../openapi/document.js';
export { resolve } from '../openapi/operations.js';
export { type CommandContext, write } from './context.js';
export {
  addJsonOption,
  type CommandModule,
  type Invocation,
  type JsonOption,
  printResult,
  withStores,
} from './invocation.js';
export {
  createSchemaValidator,
  type ExportOptions,
  isStandardStream,
  type NdjsonValidator,
  readLines,
  writeTo,
} from './ndjson.js';
export { countOf, formatCount } from './output/format.js';
