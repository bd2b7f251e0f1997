#!/usr/bin/env node
import { runServer } from './cli/commands/serve.js';
import { contextOf } from './cli/context.js';

// The service continues if the reader of stderr goes away.
process.stderr.on('error', () => undefined);
await runServer(contextOf(process));
