/** The command line: `node dist/conduit.js --help`. */
import { service } from './service.js';

await service.runCommand(process);
