/** Width of every chart: narrow, so that its text is readable on a phone. */
export const chartWidth = 520;

export interface Chart {
  readonly title: string;
  readonly subtitle: string;
  readonly height: number;
  /** SVG elements, with the classes `name`, `grid`, `peer`, and `series0` to `series4`. */
  readonly body: readonly string[];
}

interface Colors {
  readonly background: string;
  readonly text: string;
  readonly grid: string;
  readonly peer: string;
  readonly series: readonly string[];
}

const light: Colors = {
  background: '#ffffff',
  text: '#1f2328',
  grid: '#d8dee4',
  peer: '#b8c4cc',
  series: ['#1a7f64', '#2f6db5', '#b5651d', '#8e4a9e', '#5c6770'],
};
const dark: Colors = {
  background: '#0d1117',
  text: '#e6edf3',
  grid: '#30363d',
  peer: '#57636e',
  series: ['#3fb68f', '#6aa9f0', '#e0a35c', '#c88ad8', '#a3adb6'],
};

/** Renders a chart as an SVG document, in light or dark colors, as the reader prefers. */
export function renderChart({ title, subtitle, height, body }: Chart): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${String(chartWidth)}" viewBox="0 0 ${String(chartWidth)} ${String(height)}" font-family="Helvetica, Arial, sans-serif" font-size="14" role="img" aria-labelledby="title">
<title id="title">${title} (${subtitle})</title>
<style>
.title { font-size: 17px; font-weight: bold; } .name { font-weight: bold; }
polyline, line { fill: none; stroke-width: 2; } .grid { stroke-width: 1; }
${rulesOf(light)}
@media (prefers-color-scheme: dark) {
${rulesOf(dark)}
}
</style>
<rect class="background" width="100%" height="100%"/>
<text class="title" x="16" y="30">${title}</text>
<text x="16" y="52">${subtitle}</text>
${body.join('\n')}
</svg>
`;
}

function rulesOf({ background, text, grid, peer, series }: Colors): string {
  const rules = series.map((color, index) => {
    const name = `.series${String(index)}`;
    return `rect${name}, circle${name} { fill: ${color}; } polyline${name}, line${name} { stroke: ${color}; }`;
  });
  return [
    `.background { fill: ${background}; } text { fill: ${text}; } .grid { stroke: ${grid}; } .peer { fill: ${peer}; }`,
    ...rules,
  ].join('\n');
}
