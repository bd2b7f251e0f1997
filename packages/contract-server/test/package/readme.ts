import { readFileSync } from 'node:fs';

/** The README of the package, as its test runs it. */
const readme = readFileSync(new URL('../../../README.md', import.meta.url), 'utf8');

/** The code blocks of a language. */
const blocksOf = (language: string) =>
  [...readme.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'gms'))].map(([, text = '']) => text);

/** The blocks that are files, by the path in their first line. */
export const files: Readonly<Record<string, string>> = Object.fromEntries(
  ['yaml', 'ts', 'sql', 'json'].flatMap(blocksOf).map((text) => {
    const [, path] = /^(?:#|\/\/|--) (\S+)\n/.exec(text) ?? [];
    if (path === undefined) throw new Error(`The README does not name the file of this block:\n${text}`);
    return [path, text];
  }),
);

/** The blocks with commands for a shell, in the order of the README. */
export const [installRouter = '', runRouter = '', installService = '', runService = '', ...otherCommands] =
  blocksOf('sh');

const templateReadme = readFileSync(new URL('../../../template/README.md', import.meta.url), 'utf8');
/** The options for JWT, which the README of a created service shows and this one refers to. */
export const [, optionsForJwt = ''] = /^```ts\n(settings: .*?)^```$/ms.exec(templateReadme) ?? [];

/** Commands with the output that the README shows. */
export const transcript = blocksOf('console').flatMap((text) =>
  [...text.matchAll(/^\$ (.*)\n((?:(?!\$ ).*\n)*)/gm)].map(([, command = '', output = '']) => ({ command, output })),
);

/** The command that installs packages, which the prose names. */
export function installCommandOf(name: string): string {
  const [, command] = new RegExp(`\`(npm (?:install|pkg) [^\`]*\\b${name}\\b[^\`]*)\``).exec(readme) ?? [];
  if (command === undefined) throw new Error(`The README does not install ${name}.`);
  return command;
}
