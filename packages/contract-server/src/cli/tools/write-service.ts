import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CommandError } from '../../lib/errors.js';

/** The service that every created one is a copy of, with its name. */
const template = fileURLToPath(new URL('../../../template', import.meta.url));
const templateName = 'my-service';
const templateTitle = 'My service';

export interface NewService {
  readonly name: string;
  /** The packed contract-server, which it contains and depends on. */
  readonly packed: URL;
}

/**
 * Whether a service can have the name, of which its package, its settings and its metrics are named. npm installs no
 * dependency into a package of the same name.
 */
export function isServiceName(name: string): boolean {
  const { dependencies, devDependencies } = readManifest();
  return /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name) && !Object.hasOwn({ ...dependencies, ...devDependencies }, name);
}

/** Writes a service into a folder. @returns the paths of its files, without the packed one. */
export function writeService(folder: string, service: NewService): readonly string[] {
  const title = service.name.charAt(0).toUpperCase() + service.name.slice(1).replaceAll('-', ' ');
  const rename = (text: string) => text.replaceAll(templateName, service.name).replaceAll(templateTitle, title);
  const paths = readdirSync(template, { recursive: true, encoding: 'utf8' }).filter((path) =>
    statSync(join(template, path)).isFile(),
  );
  for (const path of paths) {
    const text = rename(path === 'package.json' ? manifestOf(service) : readFileSync(join(template, path), 'utf8'));
    const file = join(folder, rename(publishedName(path)));
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  copyFileSync(service.packed, join(folder, fileNameOf(service.packed)));
  return paths;
}

/** A folder with an empty Git repository counts as empty. @throws CommandError if the folder is not empty. */
export function requireEmpty(folder: string): void {
  if (!existsSync(folder)) return;
  if (!statSync(folder).isDirectory()) throw new CommandError(`${folder} is not a folder.`);
  if (readdirSync(folder).some((name) => name !== '.git'))
    throw new CommandError(`${folder} is not empty. Name a folder that does not exist or is empty.`);
}

/** npm packs no file with the name `.gitignore`. */
function publishedName(path: string): string {
  return path === '_gitignore' ? '.gitignore' : path;
}

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

function readManifest(): Manifest {
  return JSON.parse(readFileSync(join(template, 'package.json'), 'utf8')) as Manifest;
}

function manifestOf({ packed }: NewService): string {
  const manifest = readManifest();
  const dependencies = { ...manifest.dependencies, 'contract-server': `file:${fileNameOf(packed)}` };
  return `${JSON.stringify({ ...manifest, dependencies }, undefined, 2)}\n`;
}

function fileNameOf(file: URL): string {
  return basename(fileURLToPath(file));
}
