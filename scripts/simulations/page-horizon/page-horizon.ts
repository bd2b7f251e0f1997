/**
 * Counts the pets that pages miss with the ids and the page horizon of docs/distributed-sql.md, and without one of the
 * rules: `npm run simulate`.
 */
import { median } from '../../bench/statistics.js';
import { tableOf } from '../../bench/table.js';
import { complete, incomplete, simulate } from './simulate.js';

const seeds = Array.from({ length: 20 }, (_, index) => index + 1);
const durationMs = 60_000;

const table = tableOf([
  '',
  'pets',
  'missed',
  'duplicate ids',
  'lost leases',
  'rejected batches',
  'listed after, in ms',
]);
for (const [title, scenario] of Object.entries({ ...complete, ...incomplete })) {
  const results = seeds.map((seed) => simulate(seed, durationMs, scenario));
  const sum = (field: 'pets' | 'missed' | 'duplicates' | 'lostLeases' | 'fencedBatches') =>
    results.reduce((total, result) => total + result[field], 0).toLocaleString('en');
  const delays = results.flatMap(({ listingDelaysMs }) => listingDelaysMs);
  const longest = delays.reduce((one, other) => Math.max(one, other), 0);
  table.push([
    title,
    ...[sum('pets'), sum('missed'), sum('duplicates'), sum('lostLeases'), sum('fencedBatches')],
    `${String(median(delays))} (at most ${longest.toLocaleString('en')})`,
  ]);
}
console.log(table.toString());
