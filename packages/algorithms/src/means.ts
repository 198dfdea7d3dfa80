/** Means of measures. */

/** Null of nothing. */
export function meanOf(values: readonly number[]): number | null {
  return values.length > 0 ? values.reduce((sum, value) => sum + value, 0) / values.length : null;
}

/** Of each measure the mean over the optimizer steps that have it; null if none has. */
export function meansOf<Measures extends object>(steps: readonly [Measures, ...Measures[]]): Measures {
  const names = Object.keys(steps[0]) as (keyof Measures)[];
  const means = names.map((name) => {
    const values = steps.map((step) => step[name] as number | null);
    return [name, meanOf(values.filter((value) => value !== null))] as const;
  });
  return Object.fromEntries(means) as Measures;
}
