import { chartWidth, renderChart } from '../chart.js';
import type { SizeCost } from './sizes.js';

const left = 48;
const right = 48;
const top = 72;
const plotHeight = 240;
const bottom = top + plotHeight;
const legendTop = bottom + 60;
const legendRowHeight = 24;
const dashes = ['', '8 3', '2 3', '10 3 2 3', '4 4'];

interface Scales {
  readonly x: (count: number) => number;
  readonly y: (cpuUs: number) => number;
}

/** Renders the CPU time per request by number of pets, one line per kind of request, as SVG. */
export function renderGrowthPlot(costs: readonly SizeCost[]): string {
  const counts = [...new Set(costs.map(({ petCount }) => petCount))];
  const titles = [...new Set(costs.map(({ title }) => title))];
  const [first, last] = [Math.log10(Math.min(...counts)), Math.log10(Math.max(...counts))];
  const tick = tickOf(Math.max(...costs.map(({ cpuUs }) => cpuUs)));
  const greatest = tick * Math.ceil(Math.max(...costs.map(({ cpuUs }) => cpuUs)) / tick);
  const scales: Scales = {
    x: (count) => left + ((Math.log10(count) - first) / (last - first || 1)) * (chartWidth - left - right),
    y: (cpuUs) => bottom - (cpuUs / greatest) * plotHeight,
  };
  const ticks = Array.from({ length: Math.round(greatest / tick) + 1 }, (_, index) => index * tick);
  const rows = titles
    .map((title) => costs.filter((cost) => cost.title === title))
    .sort((one, other) => (other.at(-1)?.cpuUs ?? 0) - (one.at(-1)?.cpuUs ?? 0));
  return renderChart({
    title: 'CPU time per request, in µs',
    subtitle: '32 connections, by number of pets; last value in the legend',
    height: legendTop + rows.length * legendRowHeight,
    body: [
      ...ticks.map((value) => gridLine(value, scales.y(value))),
      ...counts.map((count) => tickLabel(scales.x(count), bottom + 24, 'middle', count.toLocaleString('en'))),
      ...rows.map((row, index) => lineOf(row, index, scales)),
    ],
  });
}

/** One line of the plot, and its entry in the legend. */
function lineOf(row: readonly SizeCost[], index: number, { x, y }: Scales): string {
  const points = row.map(({ petCount, cpuUs }) => [x(petCount).toFixed(1), y(cpuUs).toFixed(1)] as const);
  const name = `${row[0]?.title ?? ''}, ${(row.at(-1)?.cpuUs ?? 0).toFixed(0)}`;
  const at = legendTop + index * legendRowHeight;
  const style = `class="series${String(index)}" stroke-dasharray="${dashes[index] ?? ''}"`;
  return `<polyline ${style} points="${points.map((point) => point.join(',')).join(' ')}"/>
${points.map(([cx, cy]) => `<circle class="series${String(index)}" cx="${cx}" cy="${cy}" r="3.5"/>`).join('\n')}
<line ${style} x1="${String(left)}" y1="${String(at - 5)}" x2="${String(left + 40)}" y2="${String(at - 5)}"/>
<text x="${String(left + 52)}" y="${String(at)}">${name}</text>`;
}

function gridLine(value: number, at: number): string {
  return `<line class="grid" x1="${String(left)}" y1="${at.toFixed(1)}" x2="${String(chartWidth - right)}" y2="${at.toFixed(1)}"/>
${tickLabel(left - 8, at + 5, 'end', String(value))}`;
}

function tickLabel(x: number, y: number, anchor: 'middle' | 'end', text: string): string {
  return `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" text-anchor="${anchor}">${text}</text>`;
}

/** A round number that gives about five ticks. */
function tickOf(greatest: number): number {
  return [5, 10, 20, 25, 50, 100, 200, 500].find((tick) => greatest / tick <= 6) ?? 1000;
}
