import type { Signal, Signals } from './context.js';

/** Resolves with the signal when the process is told to stop. From then on any further signal ends it, whatever it is doing. */
export function firstSignal(signals: Signals, onSecond: (signal: Signal) => void = () => undefined): Promise<Signal> {
  return new Promise((resolve) => {
    let isStopping = false;
    const listen = (signal: Signal) => {
      signals.once(signal, () => {
        if (isStopping) {
          onSecond(signal);
          signals.exit(1);
        }
        isStopping = true;
        resolve(signal);
        listen(signal);
      });
    };
    listen('SIGTERM');
    listen('SIGINT');
  });
}
