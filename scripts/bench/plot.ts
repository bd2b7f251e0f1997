import { chartWidth, renderChart } from './chart.js';
import type { Comparison } from './comparison.js';
import { chartLabelOf, service } from './contestants.js';

const barHeight = 24;
const labelWidth = 220;
/** Space for the value after the longest bar. */
const valueWidth = 56;
/** Space above a group, for its title. */
const groupTop = 36;

interface Bar {
  readonly name: string;
  readonly cpuUs: number;
}

/** Renders the CPU time per request of every server as bars, one group per case of the first section, as SVG. */
export function renderPlot(comparisons: readonly Comparison[]): string {
  const [first] = comparisons;
  const shown = comparisons.filter(({ section }) => section === first?.section);
  const titles = [...new Set(shown.map(({ title }) => title))];
  const groups = titles.map((title) => ({ title, bars: barsOf(shown.filter((one) => one.title === title)) }));
  const greatest = Math.max(...groups.flatMap(({ bars }) => bars.map(({ cpuUs }) => cpuUs)));
  let top = 60;
  const body = groups.map(({ title, bars }) => {
    const group = groupOf(title, bars, top + groupTop, (chartWidth - labelWidth - valueWidth) / greatest);
    top += groupTop + bars.length * barHeight;
    return group;
  });
  const subtitle = `${first?.section ?? ''}; lower is better`;
  return renderChart({ title: 'CPU time per request, in µs', subtitle, height: top + 16, body });
}

/** The service first, with the mean of its medians: its loads differ a little from peer to peer. */
function barsOf(comparisons: readonly Comparison[]): Bar[] {
  const own = comparisons.reduce((sum, one) => sum + one.service.cpuUs, 0) / comparisons.length;
  const others = comparisons.map(({ peer, peerSample }) => ({ name: peer, cpuUs: peerSample.cpuUs }));
  return [{ name: service.name, cpuUs: own }, ...others];
}

function groupOf(title: string, bars: readonly Bar[], top: number, scale: number): string {
  const rows = bars.map(({ name, cpuUs }, index) => {
    const y = top + index * barHeight;
    const length = (cpuUs * scale).toFixed(1);
    return `<text x="16" y="${String(y + 16)}">${chartLabelOf(name)}</text>
<rect class="${name === service.name ? 'series0' : 'peer'}" x="${String(labelWidth)}" y="${String(y + 3)}" width="${length}" height="${String(barHeight - 6)}"/>
<text x="${String(labelWidth + Number(length) + 6)}" y="${String(y + 16)}">${cpuUs.toFixed(0)}</text>`;
  });
  return `<text class="name" x="16" y="${String(top - 8)}">${title}</text>\n${rows.join('\n')}`;
}
