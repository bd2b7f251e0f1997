import { build, type PrettyStream } from 'pino-pretty';

/** Writes lines of the log to a terminal: coloured, a request in one line. */
export function prettyLines(): PrettyStream {
  return build({
    colorize: true,
    destination: 1,
    singleLine: true,
    translateTime: 'SYS:HH:MM:ss',
    ignore: 'method,operationId,path,status,durationMs',
    // For example `request GET listPets 200 3.125 ms`.
    messageFormat:
      '{msg}{if method} {method} {operationId}{path}{end}{if status} {status}{end}{if durationMs} {durationMs} ms{end}',
  });
}
