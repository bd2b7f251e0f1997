#!/usr/bin/env node
/** `contract-server`: the tools for a contract. */
import { contextOf } from './context.js';
import { runTools } from './tools/run-tools.js';

process.exitCode = await runTools(process.argv.slice(2), contextOf(process));
