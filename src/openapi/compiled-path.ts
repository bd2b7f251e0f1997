/** A segment of a path template: literal, or the name of a parameter. */
interface Segment {
  readonly literal?: string;
  readonly name?: string;
}

/** The operations of a path template. */
export interface CompiledPath<Operation> {
  readonly segments: readonly Segment[];
  /** By method. */
  readonly operations: ReadonlyMap<string, Operation>;
}

/** @throws TypeError for a segment that is partly a parameter. */
export function compilePath<Operation extends { readonly path: string; readonly method: string }>(
  template: string,
  operations: readonly Operation[],
): CompiledPath<Operation> {
  const segments = template
    .split('/')
    .slice(1)
    .map((segment): Segment => {
      const name = /^\{([^{}]+)\}$/.exec(segment)?.[1];
      if (name === undefined && /[{}]/.test(segment))
        throw new TypeError(
          `The path segment ${segment} mixes text and a parameter; a parameter is a whole segment here.`,
        );
      return name === undefined ? { literal: segment } : { name };
    });
  const own = operations.filter(({ path }) => path === template);
  return { segments, operations: new Map(own.map((operation) => [operation.method.toUpperCase(), operation])) };
}

/** Orders paths by their first segment that is a parameter in one of them only. */
export function byParameters(one: CompiledPath<unknown>, other: CompiledPath<unknown>): number {
  const parametersOf = ({ segments }: CompiledPath<unknown>) =>
    segments.map(({ name }) => Number(name !== undefined)).join('');
  return parametersOf(one).localeCompare(parametersOf(other));
}

/** Whether the values of the segments, as sent, match those of a path template. No parameter is empty. */
export function isMatch(segments: readonly Segment[], values: readonly string[]): boolean {
  return segments.every(({ literal }, index) =>
    literal === undefined ? values[index] !== '' : literal === values[index],
  );
}
