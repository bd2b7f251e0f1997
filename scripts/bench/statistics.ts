/** The median, which is robust against noise. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other);
  const middle = (sorted.length - 1) / 2;
  return ((sorted[Math.floor(middle)] ?? NaN) + (sorted[Math.ceil(middle)] ?? NaN)) / 2;
}

/** The median of each field of samples, field by field. */
export function mediansOf<Sample extends Readonly<Record<keyof Sample, number>>>(samples: readonly Sample[]): Sample {
  const fields = Object.keys(samples[0] ?? {}) as (keyof Sample)[];
  return Object.fromEntries(fields.map((field) => [field, median(samples.map((sample) => sample[field]))])) as Sample;
}
