import { build, type PrettyStream } from 'pino-pretty';

/** Writes lines of the log to a terminal: coloured, a request in one line. */
export function prettyLines(): PrettyStream {
  return build({
    colorize: true,
    destination: 1,
    singleLine: true,
    translateTime: 'SYS:HH:MM:ss',
    ignore: 'method,operationId,path,status,durationMs',
    messageFormat: describe,
  });
}

/** For example `GET listPets 200 3 ms`. */
function describe(line: Readonly<Record<string, unknown>>): string {
  const { msg, method, operationId, path = operationId, status, durationMs } = line;
  const duration = typeof durationMs === 'number' ? `${String(Math.round(durationMs))} ms` : undefined;
  const parts = [msg === 'request' ? method : msg, path, status, duration];
  return parts.filter((part) => typeof part === 'string' || typeof part === 'number').join(' ');
}
