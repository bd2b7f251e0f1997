/** The command `toys`. */
import { service } from './toys-service.js';

await service.runCommand(process);
