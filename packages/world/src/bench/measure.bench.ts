/** Medians of repeated measurements, so that a busy moment of the machine does not count. */

export interface Measurement {
  readonly what: string;
  readonly median: number;
  readonly best: number;
  readonly unit: string;
  /** the wanted value, in words */
  readonly wanted: string;
}

export interface Repetition {
  readonly what: string;
  readonly wanted: string;
  /** how often to repeat; a tenth more is done before, unmeasured */
  readonly times: number;
  /** operations in one call of `act` */
  readonly operations?: number;
}

/** Milliseconds for one operation. */
export function milliseconds(
  { what, wanted, times, operations = 1 }: Repetition,
  act: () => void,
): Measurement {
  for (let warmUp = 0; warmUp < times / 10; warmUp++) act();
  const taken = Array.from({ length: times }, () => {
    const start = performance.now();
    act();
    return (performance.now() - start) / operations;
  }).sort((a, b) => a - b);
  return { what, wanted, unit: 'ms', median: taken[taken.length >> 1]!, best: taken[0]! };
}

/** The same measurement as operations per so many milliseconds. */
export function rate(measurement: Measurement, unit: string, span: number): Measurement {
  return { ...measurement, unit, median: span / measurement.median, best: span / measurement.best };
}
