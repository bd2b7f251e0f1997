import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../../scripts/documents.js';

const fence = /^( *)```(sh|bash|shell|console)\n(.*?)^\1```$/gms;

/** The commands of a fenced block, in which the output follows them if it is a transcript. */
export interface CommandBlock {
  /** The line of its first command. */
  readonly line: number;
  /** Commands that are run together, each time with their output if the document shows it. */
  readonly runs: readonly { readonly commands: string; readonly output?: string }[];
}

/** The blocks of a document with commands, in their order. */
export function commandBlocksOf(document: string): CommandBlock[] {
  const markdown = readFileSync(join(root, document), 'utf8');
  return [...markdown.matchAll(fence)].map(({ index, 2: language, 3: text = '' }) => ({
    line: markdown.slice(0, index).split('\n').length + 1,
    runs: language === 'console' ? runsOf(text) : [{ commands: text }],
  }));
}

/** The code blocks of a language. */
export function codeOf(document: string, language: string): string[] {
  const blocks = readFileSync(join(root, document), 'utf8').matchAll(/^```(\w+)\n(.*?)^```$/gms);
  return [...blocks].flatMap(([, found, text = '']) => (found === language ? [text] : []));
}

function runsOf(transcript: string) {
  const found = transcript.matchAll(/^\$ (.*)\n((?:(?!\$ ).*\n)*)/gm);
  return [...found].map(([, commands = '', output = '']) => ({ commands, output }));
}
