import { service } from './service.js';

await service.runCommand(process);
