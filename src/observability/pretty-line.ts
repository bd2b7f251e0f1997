import { prettyFactory } from 'pino-pretty';

/** Formats a line of the log for a terminal: coloured, a request in one line. */
export const prettyLine: (line: string) => string = prettyFactory({
  colorize: true,
  singleLine: true,
  translateTime: 'SYS:HH:MM:ss',
  ignore: 'method,operationId,path,status,durationMs',
  messageFormat: describe,
});

/** For example `GET listPets 200 3 ms`. */
function describe(line: Readonly<Record<string, unknown>>): string {
  const { msg, method, operationId, path = operationId, status, durationMs } = line;
  const duration = typeof durationMs === 'number' ? `${String(Math.round(durationMs))} ms` : undefined;
  const parts = [msg === 'request' ? method : msg, path, status, duration];
  return parts.filter((part) => typeof part === 'string' || typeof part === 'number').join(' ');
}
