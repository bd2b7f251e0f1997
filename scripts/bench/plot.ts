import type { Comparison } from './comparison.js';
import { service } from './contestants.js';

const width = 760;
const barHeight = 18;
const labelWidth = 130;
const gap = 34;

interface Bar {
  readonly name: string;
  readonly cpuUs: number;
}

/** Draws the CPU time per request of every server as bars, one group per case of the first section, as SVG. */
export function renderPlot(comparisons: readonly Comparison[]): string {
  const [first] = comparisons;
  const shown = comparisons.filter(({ section }) => section === first?.section);
  const titles = [...new Set(shown.map(({ title }) => title))];
  const groups = titles.map((title) => ({ title, bars: barsOf(shown.filter((one) => one.title === title)) }));
  const greatest = Math.max(...groups.flatMap(({ bars }) => bars.map(({ cpuUs }) => cpuUs)));
  let top = 50;
  const parts = groups.map(({ title, bars }) => {
    const part = groupOf(title, bars, top, (width - labelWidth - 70) / greatest);
    top += bars.length * barHeight + gap;
    return part;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${String(width)} ${String(top)}" font-family="sans-serif" font-size="12">
<rect width="100%" height="100%" fill="#fff"/>
<text x="10" y="22" font-size="15" font-weight="bold">CPU time of the server per request, in µs (${first?.section ?? ''}; less is better)</text>
${parts.join('\n')}
</svg>
`;
}

/** The service first. Its loads beside each peer differ a little; the plot shows the mean of their medians. */
function barsOf(comparisons: readonly Comparison[]): Bar[] {
  const own = comparisons.reduce((sum, one) => sum + one.service.cpuUs, 0) / comparisons.length;
  const others = comparisons.map(({ peer, peerSample }) => ({ name: peer, cpuUs: peerSample.cpuUs }));
  return [{ name: service.name, cpuUs: own }, ...others];
}

function groupOf(title: string, bars: readonly Bar[], top: number, scale: number): string {
  const rows = bars.map(({ name, cpuUs }, index) => {
    const y = top + index * barHeight;
    const length = (cpuUs * scale).toFixed(1);
    const color = name === service.name ? '#1a7f64' : '#b8c4cc';
    return `<text x="${String(labelWidth - 8)}" y="${String(y + 13)}" text-anchor="end">${name}</text>
<rect x="${String(labelWidth)}" y="${String(y + 2)}" width="${length}" height="${String(barHeight - 4)}" fill="${color}"/>
<text x="${String(labelWidth + Number(length) + 6)}" y="${String(y + 13)}">${cpuUs.toFixed(0)}</text>`;
  });
  return `<text x="10" y="${String(top - 5)}" font-weight="bold">${title}</text>\n${rows.join('\n')}`;
}
