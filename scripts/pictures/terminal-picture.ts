/** A command and its output. */
export interface TerminalCommand {
  readonly command: string;
  readonly output: readonly string[];
}

/** So few that the text is readable on a phone. */
const columns = 60;
const columnWidth = 8.4;
const rowHeight = 20;
/** The space above a prompt. */
const promptGap = 7;
const margin = 20;
const barHeight = 34;
/** The time per typed character, and the pause after the output of a command. */
const keyMs = 7;
const readingMs = 700;

type Kind = 'command' | 'output' | 'error';

interface Row {
  readonly kind: Kind;
  readonly text: string;
  readonly y: number;
  readonly startsAtMs: number;
  readonly lastsMs: number;
}

/**
 * Renders a terminal session as an animated SVG file without scripts and fonts. Without animations, or if the user
 * prefers reduced motion, it shows the end of the session.
 */
export function renderTerminal(title: string, commands: readonly TerminalCommand[]): string {
  const rows = rowsOf(commands);
  const width = columns * columnWidth + 2 * margin;
  const height = (rows.at(-1)?.y ?? 0) + margin;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width.toFixed(0)}" viewBox="0 0 ${width.toFixed(0)} ${String(height)}" role="img" aria-labelledby="title">
<title id="title">${escaped(title)}</title>
<style>
  text { font: 14px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; white-space: pre; animation: shown backwards; }
  .command { fill: #f8fafc; font-weight: 600; animation-name: typed; }
  .output { fill: #a7f3d0; }
  .error { fill: #fca5a5; }
  @keyframes shown { from { opacity: 0 } }
  @keyframes typed { from { clip-path: inset(0 100% 0 0) } to { clip-path: inset(0 0 0 0) } }
  @media (prefers-reduced-motion: reduce) { text, .command { animation: none } }
</style>
<rect width="100%" height="100%" rx="10" fill="#0f172a"/>
<circle cx="20" cy="17" r="6" fill="#f87171"/><circle cx="40" cy="17" r="6" fill="#fbbf24"/><circle cx="60" cy="17" r="6" fill="#4ade80"/>
${rows.map(renderRow).join('\n')}
</svg>
`;
}

function renderRow({ kind, text, y, startsAtMs, lastsMs }: Row): string {
  const duration = kind === 'command' ? `${seconds(lastsMs)} steps(${String(text.length)})` : '1ms';
  // The length is set, because monospaced fonts have different widths.
  const length = (text.length * columnWidth).toFixed(0);
  const place = `x="${String(margin)}" y="${String(y)}" textLength="${length}" lengthAdjust="spacingAndGlyphs"`;
  return `<text class="${kind}" ${place} style="animation-duration: ${duration.replace(' ', '; animation-timing-function: ')}; animation-delay: ${seconds(startsAtMs)}">${escaped(text)}</text>`;
}

function rowsOf(commands: readonly TerminalCommand[]): Row[] {
  const rows: Row[] = [];
  let nowMs = 300;
  let y = barHeight;
  for (const { command, output } of commands) {
    y += promptGap;
    for (const text of wrapCommand(`$ ${command}`)) {
      const lastsMs = text.length * keyMs;
      rows.push({ kind: 'command', text, y: (y += rowHeight), startsAtMs: nowMs, lastsMs });
      nowMs += lastsMs;
    }
    nowMs += 200;
    const kind = output.some((line) => line.startsWith('{"code":')) ? 'error' : 'output';
    for (const text of output.flatMap(wrapOutput))
      rows.push({ kind, text, y: (y += rowHeight), startsAtMs: nowMs, lastsMs: 0 });
    nowMs += readingMs;
  }
  return rows;
}

/** Wraps a command before an option, a URL or a pipe, with a backslash at the end of the line. */
function wrapCommand(command: string): string[] {
  const rows: string[] = [];
  for (const part of command.split(/ (?=-\w |'?http|\| )/)) {
    const last = rows.at(-1);
    if (last !== undefined && last.length + part.length + 3 <= columns) rows[rows.length - 1] = `${last} ${part}`;
    else rows.push(last === undefined ? part : `    ${part}`);
  }
  return rows.map((row, index) => (index < rows.length - 1 ? `${row} \\` : row));
}

function wrapOutput(line: string): string[] {
  // Between words if possible.
  const rows = line.match(new RegExp(`.{1,${String(columns)}}(?:\\s|$)|.{1,${String(columns)}}`, 'g')) ?? [''];
  return rows.map((row) => row.trimEnd());
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(2)}s`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
