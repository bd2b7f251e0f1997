#!/usr/bin/env node
import { run } from './cli/run-server.js';

await run(process);
