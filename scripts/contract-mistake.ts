import { type Document, isNode, LineCounter, parseDocument } from 'yaml';

/** `undefined` if the text is YAML; else where it is not, and why: `7:3 Map keys must be unique`. */
export function syntaxMistake(text: string): string | undefined {
  const [error] = parseDocument(text, { prettyErrors: true }).errors;
  if (error === undefined) return undefined;
  const { line, col } = error.linePos?.[0] ?? { line: 1, col: 1 };
  return `${String(line)}:${String(col)} ${error.message.replace(/ at line \d+, column \d+:[^]*$/, '')}`;
}

/**
 * What a program that failed says of the contract, with the place that it names as a JSON Pointer, if it names one:
 * `590:7 Error: …`.
 */
export function toldMistake(text: string, stderr: string): string {
  const said = /^\w*Error.*?(?=\n {4}at |\n*$(?![^]))/ms.exec(stderr)?.[0] ?? stderr.trim();
  const pointer = /#(\/[^\s"]+)|"instancePath": "(\/[^"]+)"/.exec(said);
  const lines = new LineCounter();
  const offset = offsetOf(parseDocument(text, { lineCounter: lines }), pointer?.[1] ?? pointer?.[2] ?? '');
  const { line, col } = lines.linePos(offset);
  return `${String(line)}:${String(col)} ${said}`;
}

/** Where the innermost part begins that the pointer leads to before it fails. */
function offsetOf(document: Document.Parsed, pointer: string): number {
  const names = pointer
    .split('/')
    .slice(1)
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
  for (let length = names.length; length > 0; length -= 1) {
    const node = document.getIn(names.slice(0, length), true);
    if (isNode(node) && node.range) return node.range[0];
  }
  return 0;
}
