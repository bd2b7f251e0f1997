#!/usr/bin/env node
import { service } from './service.js';

await service.run(process);
