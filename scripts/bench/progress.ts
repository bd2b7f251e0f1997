import { SingleBar } from 'cli-progress';

/** A bar on stderr, which shows how far a measurement has come and what it does. */
export function showProgress(steps: number): SingleBar {
  const bar = new SingleBar({
    format: '{bar} {percentage}%  {what}',
    stream: process.stderr,
    noTTYOutput: true,
    barsize: 30,
  });
  bar.start(steps, 0, { what: '' });
  return bar;
}
