/** Runs the server. */
import { service } from './service.js';

await service.run(process);
