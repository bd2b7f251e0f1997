import type { ErrorCodeDocs } from './extensions.js';

/** Lists every error code in Markdown, in ascending order of the status. */
export function errorCodeList(codes: Readonly<Record<string, ErrorCodeDocs>>): string {
  return Object.entries(codes)
    .sort(([, one], [, other]) => one.status - other.status)
    .map(([code, { status, cause, resolution }]) => `- ${String(status)} \`${code}\`: ${cause} _${resolution}_`)
    .join('\n');
}
