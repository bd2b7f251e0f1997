/**
 * Makes the pictures of the README that show the service at work, `docs/first-five-minutes.svg` and
 * `docs/docs-page.png`, from the service itself.
 */
import { writeFile } from 'node:fs/promises';
import { rootPath } from '../bench/root-path.js';
import { holdConversation } from './conversation.js';
import { pictureDocsPage } from './docs-page-picture.js';
import { startFirstService } from './first-service.js';
import { renderTerminal } from './terminal-picture.js';

const service = await startFirstService(rootPath('dist/main.js'));
const contexts = await holdConversation(rootPath('README.md'), service);
await writeFile(rootPath('docs/first-five-minutes.svg'), renderTerminal('The first five minutes', contexts));
await writeFile(rootPath('docs/docs-page.png'), await pictureDocsPage(service));
// The service ends with this process.
process.exit();
