import { fileURLToPath } from 'node:url';
import ts from 'typescript';

/** The folder of the tests of contract-server, where files to compile can be. */
export const folder = fileURLToPath(new URL('../../contract-server/test/', import.meta.url));

/** The messages of the compiler about each file. @param files the text of each by its path. */
export function compile(files: ReadonlyMap<string, string>): readonly (readonly string[])[] {
  const host = { ...ts.sys, onUnRecoverableConfigFileDiagnostic: () => undefined };
  const own = { noEmit: true, noUnusedLocals: false, composite: false, incremental: false };
  const { options = {} } = ts.getParsedCommandLineOfConfigFile(`${folder}tsconfig.json`, own, host) ?? {};
  const disk = ts.createCompilerHost(options);
  const compiler: ts.CompilerHost = {
    ...disk,
    fileExists: (name) => files.has(name) || disk.fileExists(name),
    readFile: (name) => files.get(name) ?? disk.readFile(name),
    getSourceFile: (name, target, ...others) => {
      const text = files.get(name);
      return text === undefined ? disk.getSourceFile(name, target, ...others) : ts.createSourceFile(name, text, target);
    },
  };
  const program = ts.createProgram([...files.keys()], options, compiler);
  return [...files.keys()].map((name) =>
    program
      .getSemanticDiagnostics(program.getSourceFile(name))
      .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n')),
  );
}
