import type { GeneratedTypes } from './generate-types.js';

/**
 * The texts of the files of a contract, by path: the types, and beside a declaration file such as `contract.d.ts`, the
 * module that it declares, `contract.js`, with the values that clients need. Any other file contains both.
 *
 * @param output the path of the types.
 */
export function generatedFiles(
  output: string,
  header: string,
  { types, values }: Pick<GeneratedTypes, 'types' | 'values'>,
): ReadonlyMap<string, string> {
  const path = output.replace(/\.d\.(m?)ts$/, '.$1js');
  const isDeclaration = path !== output;
  const start = `${header}\n${types}\n${comment}\nexport `;
  if (!isDeclaration) return new Map([[output, `${start}const contract: ${type} = ${values};\n`]]);
  return new Map([
    [output, `${start}declare const contract: ${type};\n`],
    [path, `${header}\n${comment}\nexport const contract = ${values};\n`],
  ]);
}

const comment = '/** What clients need of the contract at run time. */';
const type = "Pick<Contract, 'version' | 'pathPrefix' | 'prefixes' | 'styles' | 'mediaTypes' | 'schemes'>";
