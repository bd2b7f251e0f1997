/** The server, as `npm start` of an application runs it. */
import { service } from './toys-service.js';

await service.run(process);
