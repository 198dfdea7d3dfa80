/** Counts and times for people. */

/** `1 game`, `2 games`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** `12,345`. */
export function grouped(count: number): string {
  return Math.round(count).toLocaleString('en-US');
}

/** US dollars: `$0.0123`, `$4.56`. */
export function dollars(amount: number): string {
  return `$${amount.toFixed(amount < 1 ? 4 : 2)}`;
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

/** Milliseconds by part, and in all: `opening 0.4 s, training 1 min 20 s, in all 1 min 20 s`. */
export function durations(parts: ReadonlyMap<string, number>): string {
  const total = [...parts.values()].reduce((sum, each) => sum + each, 0);
  return [...parts, ['in all', total] as const]
    .map(([name, spent]) => `${name} ${duration(spent)}`)
    .join(', ');
}
