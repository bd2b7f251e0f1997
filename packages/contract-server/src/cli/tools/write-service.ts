import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CommandError } from '@contract-server/core/lib/errors.js';
import { packageFolder } from '../../lib/package-folder.js';
import type { PackedLibrary } from './pack-library.js';

/** The service that every created one is a copy of, with its name. */
const template = fileURLToPath(new URL('template', packageFolder));
const templateName = 'my-service';
const templateTitle = 'My service';
/** Where a service has the packed packages. */
const packedFolder = 'vendor';
/** Whether the service is created for Node.js 20, because that runs. */
const isForNode20 = Number(process.versions.node.split('.')[0]) < 22;

export interface NewService {
  readonly name: string;
  /** The packed packages of the library, which it contains and depends on. */
  readonly packed: PackedLibrary;
}

/**
 * Whether a service can have the name, of which its package, its settings and its metrics are named. npm installs no
 * dependency into a package of the same name.
 */
export function isServiceName(name: string): boolean {
  const { dependencies, devDependencies } = readManifest();
  return /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name) && !Object.hasOwn({ ...dependencies, ...devDependencies }, name);
}

/** Writes a service into a folder. @returns the paths of its files, without the packed ones. */
export function writeService(folder: string, service: NewService): readonly string[] {
  const title = service.name.charAt(0).toUpperCase() + service.name.slice(1).replaceAll('-', ' ');
  const rename = (text: string) =>
    forNode(text).replaceAll(templateName, service.name).replaceAll(templateTitle, title);
  const paths = readdirSync(template, { recursive: true, encoding: 'utf8' }).filter((path) =>
    statSync(join(template, path)).isFile(),
  );
  for (const path of paths) {
    const text = rename(path === 'package.json' ? manifestOf(service) : readFileSync(join(template, path), 'utf8'));
    const file = join(folder, rename(publishedName(path)));
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  mkdirSync(join(folder, packedFolder));
  for (const file of service.packed.values()) copyFileSync(file, join(folder, packedFolder, fileNameOf(file)));
  return paths;
}

/** A folder with an empty Git repository counts as empty. @throws CommandError if the folder is not empty. */
export function requireEmpty(folder: string): void {
  if (!existsSync(folder)) return;
  if (!statSync(folder).isDirectory()) throw new CommandError(`${folder} is not a folder.`);
  if (readdirSync(folder).some((name) => name !== '.git'))
    throw new CommandError(`${folder} is not empty. Name a folder that does not exist or is empty.`);
}

/** The image, the CI and the README of the template name the version of Node.js. */
function forNode(text: string): string {
  if (!isForNode20) return text;
  return text
    .replaceAll('node:24-', 'node:20-')
    .replace('node-version: 24', 'node-version: 20')
    .replace('Node.js 22 or newer', 'Node.js 20.19');
}

/** npm packs no file with the name `.gitignore`. */
function publishedName(path: string): string {
  return path === '_gitignore' ? '.gitignore' : path;
}

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly engines: { readonly node: string };
  readonly allowScripts?: Readonly<Record<string, boolean>>;
}

function readManifest(): Manifest {
  return JSON.parse(readFileSync(join(template, 'package.json'), 'utf8')) as Manifest;
}

function manifestOf({ packed }: NewService): string {
  const manifest = isForNode20 ? withSqliteOfNode20(readManifest()) : readManifest();
  const { dependencies, devDependencies } = manifest;
  const own = [...packed].map(([name, file]) => [name, `file:${packedFolder}/${fileNameOf(file)}`] as const);
  const isDev = ([name]: (typeof own)[number]) => Object.hasOwn(devDependencies, name);
  const withOwn = {
    ...manifest,
    dependencies: { ...dependencies, ...Object.fromEntries(own.filter((each) => !isDev(each))) },
    devDependencies: { ...devDependencies, ...Object.fromEntries(own.filter(isDev)) },
  };
  return `${JSON.stringify(withOwn, undefined, 2)}\n`;
}

/** better-sqlite3 13 crashes on Node.js 20. Version 12 has an install script. */
function withSqliteOfNode20(manifest: Manifest): Manifest {
  const dependencies = { ...manifest.dependencies, 'better-sqlite3': '^12.11.1' };
  return { ...manifest, engines: { node: '>=20.19 <22' }, dependencies, allowScripts: { 'better-sqlite3': true } };
}

function fileNameOf(file: URL): string {
  return basename(fileURLToPath(file));
}
