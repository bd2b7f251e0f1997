#!/usr/bin/env node
import { run } from './cli/commands/run-server.js';

await run(process);
