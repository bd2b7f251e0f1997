#!/usr/bin/env node
import { contextOf } from './context.js';
import { runProgram } from './program.js';

process.exitCode = await runProgram(process.argv.slice(2), contextOf(process));
