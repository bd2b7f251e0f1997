/** One line of the text format: a name with its labels, as Prometheus writes them, and a number. */
const sample = /^([a-z0-9_]+(?:\{(?:[a-z]+="(?:[^"\\]|\\.)*",?)*\})?) (-?[0-9.e+-]+|Nan|[+-]Inf)$/;

/** Reads metrics as a Prometheus server does: each value by its name and labels. @throws for an invalid line. */
export async function readMetrics(url: string | undefined): Promise<ReadonlyMap<string, number>> {
  const response = await fetch(url ?? '');
  const type = response.headers.get('content-type');
  if (response.status !== 200 || type !== 'text/plain; version=0.0.4; charset=utf-8') {
    throw new Error(`${String(url)} returned ${String(response.status)}, ${String(type)}.`);
  }
  return parseMetrics(await response.text());
}

function parseMetrics(text: string): ReadonlyMap<string, number> {
  const values = new Map<string, number>();
  for (const line of text.split('\n')) {
    if (line === '' || /^# (HELP|TYPE) [a-z0-9_]+ /.test(line)) continue;
    const [, name = '', value = ''] = sample.exec(line) ?? [];
    if (name === '' || values.has(name)) throw new Error(`Invalid or duplicate line of metrics: ${line}`);
    values.set(name, Number(value));
  }
  return values;
}
