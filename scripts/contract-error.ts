import { type Document, isNode, LineCounter, parseDocument } from 'yaml';

/** Returns the first YAML syntax error with its position, as `7:3 Map keys must be unique`, or `undefined`. */
export function findSyntaxError(text: string): string | undefined {
  const [error] = parseDocument(text, { prettyErrors: true }).errors;
  if (error === undefined) return undefined;
  const { line, col } = error.linePos?.[0] ?? { line: 1, col: 1 };
  return `${String(line)}:${String(col)} ${error.message.replace(/ at line \d+, column \d+:[^]*$/, '')}`;
}

/** Returns the error message of a failed program with the position of the JSON Pointer in it: `590:7 Error: …`. */
export function locateError(text: string, stderr: string): string {
  const message = /^\w*Error.*?(?=\n {4}at |\n*$(?![^]))/ms.exec(stderr)?.[0] ?? stderr.trim();
  const pointer = /#(\/[^\s"]+)|"instancePath": "(\/[^"]+)"/.exec(message);
  const lines = new LineCounter();
  const offset = offsetOf(parseDocument(text, { lineCounter: lines }), pointer?.[1] ?? pointer?.[2] ?? '');
  const { line, col } = lines.linePos(offset);
  return `${String(line)}:${String(col)} ${message}`;
}

/** The offset of the innermost node on the way of the pointer. */
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
