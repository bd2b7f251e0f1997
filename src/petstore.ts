#!/usr/bin/env node
/** The `petstore` command. */
import { service } from './service.js';

await service.runCommand(process);
