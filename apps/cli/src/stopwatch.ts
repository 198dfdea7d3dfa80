/** How long the parts of a command took. */
export interface Stopwatch {
  /** measures a part; parts of one name add up */
  part<T>(name: string, work: () => Promise<T>): Promise<T>;
  /** e.g. `opening 0.4 s, training 1 min 20 s` */
  summary(): string;
}

/** A stopwatch over a clock in milliseconds. */
export function stopwatch(now: () => number): Stopwatch {
  const parts = new Map<string, number>();
  return {
    async part(name, work) {
      const start = now();
      try {
        return await work();
      } finally {
        parts.set(name, (parts.get(name) ?? 0) + now() - start);
      }
    },
    summary() {
      const total = [...parts.values()].reduce((sum, each) => sum + each, 0);
      return [...parts, ['in all', total] as const]
        .map(([name, spent]) => `${name} ${duration(spent)}`)
        .join(', ');
    },
  };
}

/** `1 game`, `2 games`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** A time for people: `0.4 s`, `42 s`, `3 min 5 s`, `2 h 10 min`. */
export function duration(milliseconds: number): string {
  if (milliseconds < 9950) return `${(milliseconds / 1000).toFixed(1)} s`;
  const seconds = Math.round(milliseconds / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60
    ? `${minutes} min ${seconds % 60} s`
    : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
