/**
 * Checks what the documents name: the targets of links, files, npm scripts and settings must exist. Prints what does
 * not, as `README.md:12 …`.
 */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { settingsOf } from 'contract-server/config.js';
import { settingsOwner } from 'contract-server/service/definition.js';
import { service } from '#src/service.js';
import { documents, root } from './documents.js';

const read = (path: string) => readFileSync(join(root, path), 'utf8');
/** Documents that name what does not exist: what has been removed, and the files of a created service. */
const exceptions = ['CHANGELOG.md', 'packages/contract-server/template/README.md'];
const scriptsOf = (path: string) => (JSON.parse(read(path)) as { scripts: Record<string, string> }).scripts;
const scripts = { ...scriptsOf('package.json'), ...scriptsOf('examples/conduit/package.json') };
const folders = 'src|test|scripts|docs|deploy|spec|generated|dist|packages';
/** Where paths of files may begin: guides to the library shorten them. */
const origins = ['.', 'packages/contract-server/src', 'packages/core/src', 'packages/client/src', 'packages/diff/src'];
/** Everything that reads or sets a variable. Documents name no others. */
const sources = [
  ...settingsOf(settingsOwner(service.definition)).map(({ name }) => name),
  ...['compose.yaml', 'Dockerfile', '.env.example'].map(read),
].join('\n');

/** What the guide to a new operation adds, and the examples of contract-server. */
const examples = /delete-pet|library|books/i;

/** For each pattern, whether what it has found exists. */
const rules: readonly (readonly [pattern: RegExp, exists: (found: string, document: string) => boolean])[] = [
  [/\]\((?!https?:|mailto:)([^)\s]+)\)/g, isLinkTarget],
  [new RegExp(`\`((?:${folders})/[^\`\\s*{<…:]*)(?::[\\d:]+)?\``, 'g'), (path) => existsSync(join(root, path))],
  [/`([a-z][\w-]*(?:\/[\w-]+)*\/[\w.-]+\.(?:ts|js|cjs|sql|lua))`/g, isFile],
  [/npm run (?:--silent )?([\w:-]+)/g, (name) => Object.hasOwn(scripts, name)],
  [/`([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)`/g, (name) => new RegExp(`\\b${name}\\b`).test(sources)],
];

for (const document of documents.filter((path) => !exceptions.includes(path))) {
  for (const [index, line] of read(document).split('\n').entries()) {
    const missing = rules.flatMap(([pattern, exists]) =>
      [...line.matchAll(pattern)].map(([, found = '']) => found).filter((found) => !exists(found, document)),
    );
    for (const name of missing.filter((name) => !examples.test(name))) {
      console.error(`${document}:${String(index + 1)} does not exist: ${name}`);
      process.exitCode = 1;
    }
  }
}

/** Whether the file exists and, if it is a document, has the heading. */
function isLinkTarget(target: string, document: string): boolean {
  const [path = '', anchor] = target.split('#');
  const file = path === '' ? document : join(dirname(document), path);
  if (!existsSync(join(root, file))) return false;
  if (anchor === undefined || !file.endsWith('.md')) return true;
  const headings = read(file).match(/^#+ .*$/gm) ?? [];
  return headings.some((heading) => slugOf(heading) === anchor);
}

function isFile(path: string): boolean {
  return origins.some((origin) => existsSync(join(root, origin, path)));
}

/** The anchor that GitHub gives a heading. */
function slugOf(heading: string): string {
  const words = heading.replace(/^#+ /, '').toLowerCase();
  return words.replace(/[^\p{L}\p{N} _-]/gu, '').replaceAll(' ', '-');
}
