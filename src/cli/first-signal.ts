import { type Signal, type Signals, stopSignals } from './context.js';

/**
 * Resolves with the first signal that stops the process. A further one ends it at once, except for SIGHUP, which a
 * terminal that closes may send twice.
 */
export function firstSignal(signals: Signals, onSecond: (signal: Signal) => void = () => undefined): Promise<Signal> {
  return new Promise((resolve) => {
    let isStopping = false;
    const listen = (signal: Signal) => {
      signals.once(signal, () => {
        if (isStopping && signal !== 'SIGHUP') {
          onSecond(signal);
          signals.exit(1);
        }
        isStopping = true;
        resolve(signal);
        listen(signal);
      });
    };
    for (const signal of stopSignals) listen(signal);
  });
}
