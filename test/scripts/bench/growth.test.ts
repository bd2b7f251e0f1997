import { expect } from 'chai';
import { scattered, statusOf } from '../../../scripts/bench/growth/catalogue.js';
import type { Growth } from '../../../scripts/bench/growth/growth.js';
import { renderGrowthPlot } from '../../../scripts/bench/growth/growth-plot.js';
import { renderGrowthReport } from '../../../scripts/bench/growth/growth-report.js';
import type { SizeCost } from '../../../scripts/bench/growth/sizes.js';
import { cpuUsOf, familyCpuUsOf, residentMebibytesOf } from '../../../scripts/machine/process-usage.js';

const sizes: SizeCost[] = [
  ['getPet', 1000, 40],
  ['a rare status', 1000, 100],
  ['getPet', 5_000_000, 44],
  ['a rare status', 5_000_000, 151],
].map(([title, petCount, cpuUs]) => {
  return { title, case: title, petCount, cpuUs, p50Ms: 1, perSecond: 2 } as SizeCost;
});

const nothing: Growth = { sizes: [], memory: [], nodes: [] };

/** The cells of the tables in a report. */
function rowsOf(report: string): string[][] {
  const lines = report.split('\n').filter((line) => line.startsWith('│'));
  return lines.map((line) =>
    line
      .split('│')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

describe('the growth benchmark', () => {
  it('has 40 sold pets in a catalogue of any size, one of them among the first', () => {
    for (const count of [1000, 10_000, 100_000]) {
      const sold = Array.from({ length: count }, (_, index) => statusOf(index, count)).filter(
        (status) => status === 'sold',
      );
      expect(sold).to.have.lengthOf(40);
    }
    expect(statusOf(0, 5_000_000)).to.equal('sold');
  });

  it('requests existing pets of the whole catalogue', () => {
    const ids = scattered(10_000, 1000);
    expect(new Set(ids).size).to.equal(1000);
    expect([Math.min(...ids), Math.max(...ids)]).to.deep.equal([1, 1000]);
    expect(new Set(scattered(10_000, 5_000_000)).size).to.equal(10_000);
  });

  it('reports the list time of the largest catalogue relative to the smallest, and whether it meets the target', () => {
    const report = renderGrowthReport({ ...nothing, sizes });
    expect(rowsOf(report)).to.deep.equal([
      ['', '1,000', '5,000,000', 'last to first', 'target'],
      ['getPet', '40.0 (1.00)', '44.0 (1.00)', '1.10', ''],
      ['a rare status', '100.0 (1.00)', '151.0 (1.00)', '1.51', '≤ 1.5 missed'],
    ]);
  });

  it('reports only measured values', () => {
    const memory = [{ after: 'the start', requests: 0, residentMebibytes: 81.4, peakMebibytes: 90 }];
    expect(rowsOf(renderGrowthReport({ ...nothing, memory }))).to.deep.equal([
      ['after', 'requests', 'MiB', 'at most'],
      ['the start', '0', '81', '90'],
    ]);
    const cpuUs = { nodes: 100, postgres: 50, redis: 20, load: 10 };
    const nodes = [
      { nodeCount: 2, case: 'getPet', title: 'getPet', perSecond: 9000, cpuUs, coresBusy: 1.62, cores: 2 },
    ];
    expect(rowsOf(renderGrowthReport({ ...nothing, nodes }))).to.deep.equal([
      ['', 'nodes', 'requests/s', 'nodes µs', 'PostgreSQL µs', 'Redis µs', 'load µs', 'cores busy'],
      ['getPet', '2', '9000', '100', '50', '20', '10', '1.62 of 2'],
    ]);
  });

  it('draws a line for each kind of request, with the sizes on a logarithmic scale', () => {
    const svg = renderGrowthPlot(sizes);
    expect(svg.match(/<polyline /g)).to.have.lengthOf(2);
    expect(svg).to.contain('>5,000,000</text>').and.to.contain('>getPet, 44</text>');
    expect(svg).to.not.match(/NaN|undefined/);
  });

  it('reads the resource usage of a process from Linux', () => {
    const { current, peak } = residentMebibytesOf(process.pid);
    expect(current).to.be.within(10, peak);
    expect(cpuUsOf(process.pid)).to.be.above(0);
    expect(familyCpuUsOf(process.pid)).to.be.at.least(cpuUsOf(process.pid) - 10_000);
  });
});
