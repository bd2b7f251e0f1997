import { SingleBar } from 'cli-progress';

/** A progress bar on stderr. */
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
