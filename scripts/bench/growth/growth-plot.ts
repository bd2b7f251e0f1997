import type { SizeCost } from './sizes.js';

const width = 760;
const height = 400;
const left = 50;
const right = 150;
const top = 50;
const bottom = 45;
const colors = ['#1a7f64', '#2f6db5', '#b5651d', '#8e4a9e', '#5c6770'];
/** Distance between two labels of lines. */
const nameHeight = 15;

/** Draws the CPU time per request by number of animals, one line per kind of request, as SVG. */
export function renderGrowthPlot(costs: readonly SizeCost[]): string {
  const counts = [...new Set(costs.map(({ animalCount }) => animalCount))];
  const titles = [...new Set(costs.map(({ title }) => title))];
  const [first, last] = [Math.log10(Math.min(...counts)), Math.log10(Math.max(...counts))];
  const tick = tickOf(Math.max(...costs.map(({ cpuUs }) => cpuUs)));
  const greatest = tick * Math.ceil(Math.max(...costs.map(({ cpuUs }) => cpuUs)) / tick);
  const x = (count: number) => left + ((Math.log10(count) - first) / (last - first || 1)) * (width - left - right);
  const y = (cpuUs: number) => height - bottom - (cpuUs / greatest) * (height - top - bottom);
  const ticks = Array.from({ length: Math.round(greatest / tick) + 1 }, (_, index) => index * tick);
  const nameAt = spreadOut(titles.map((title) => y(costs.findLast((cost) => cost.title === title)?.cpuUs ?? 0)));
  const lines = titles.map((title, index) => {
    const row = costs.filter((cost) => cost.title === title);
    return lineOf(row, { x, y, color: colors[index % colors.length] ?? '#000', nameAt: nameAt[index] ?? 0 });
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${String(width)} ${String(height)}" font-family="sans-serif" font-size="12">
<rect width="100%" height="100%" fill="#fff"/>
<text x="10" y="22" font-size="15" font-weight="bold">CPU time of the server per request, in µs, by the number of animals (32 connections)</text>
${ticks.map((value) => gridLine(value, y(value))).join('\n')}
${counts.map((count) => `<text x="${x(count).toFixed(1)}" y="${String(height - bottom + 20)}" text-anchor="middle">${count.toLocaleString('en')}</text>`).join('\n')}
${lines.join('\n')}
</svg>
`;
}

interface Place {
  readonly x: (count: number) => number;
  readonly y: (cpuUs: number) => number;
  readonly color: string;
  readonly nameAt: number;
}

function lineOf(row: readonly SizeCost[], { x, y, color, nameAt }: Place): string {
  const points = row.map(({ animalCount, cpuUs }) => [x(animalCount).toFixed(1), y(cpuUs).toFixed(1)] as const);
  const name = `${row[0]?.title ?? ''}, ${(row.at(-1)?.cpuUs ?? 0).toFixed(0)}`;
  return `<polyline points="${points.map((point) => point.join(',')).join(' ')}" fill="none" stroke="${color}" stroke-width="2"/>
${points.map(([cx, cy]) => `<circle cx="${cx}" cy="${cy}" r="3" fill="${color}"/>`).join('\n')}
<text x="${String(width - right + 10)}" y="${(nameAt + 4).toFixed(1)}" fill="${color}">${name}</text>`;
}

function gridLine(value: number, at: number): string {
  return `<line x1="${String(left)}" y1="${at.toFixed(1)}" x2="${String(width - right)}" y2="${at.toFixed(1)}" stroke="#e4e9ec"/>
<text x="${String(left - 8)}" y="${(at + 4).toFixed(1)}" text-anchor="end">${String(value)}</text>`;
}

/** A round number that gives about five ticks. */
function tickOf(greatest: number): number {
  return [5, 10, 20, 25, 50, 100, 200, 500].find((tick) => greatest / tick <= 6) ?? 1000;
}

/** Moves labels apart so that they do not overlap, in the same order. */
function spreadOut(places: readonly number[]): number[] {
  const spread: number[] = [];
  let free = -Infinity;
  for (const [index, place] of [...places.entries()].sort(([, one], [, other]) => one - other)) {
    spread[index] = Math.max(place, free);
    free = (spread[index] ?? 0) + nameHeight;
  }
  return spread;
}
