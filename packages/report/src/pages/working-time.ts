/**
 * When each line of metrics.jsonl was written, in seconds of work since the run began. The metrics have no clock, so that equal runs have
 * equal bytes; events.jsonl says about once a second how many lines there were. A pause between two processes counts nothing, and what was
 * done again after a kill counts once: a resumed run goes on from the time of its checkpoint.
 */

type Line = Readonly<Record<string, unknown>>;

interface Mark {
  readonly lines: number;
  readonly seconds: number;
}

/** A value for each of `count` lines; null for a run without such events. */
export function workingSeconds(events: readonly Line[], count: number): readonly number[] | null {
  const marks = marksIn(events);
  if (marks.length === 0) return null;
  const seconds: number[] = [];
  let [before, next] = [{ lines: 0, seconds: marks[0]!.seconds }, 0];
  for (let line = 1; line <= count; line++) {
    while (next < marks.length && marks[next]!.lines < line) before = marks[next++]!;
    const after = marks[next] ?? before;
    const share = after.lines === before.lines ? 0 : (line - before.lines) / (after.lines - before.lines);
    seconds.push(before.seconds + share * (after.seconds - before.seconds));
  }
  return seconds;
}

/** Rising lines and seconds. */
function marksIn(events: readonly Line[]): Mark[] {
  let marks: Mark[] = [];
  const checkpoints = new Map<unknown, { readonly seconds: number; readonly marks: number }>();
  // the process at work began then, and the run had worked so long before
  let [began, worked] = [NaN, 0];
  for (const { kind, time, step, from, lines } of events) {
    const at = Date.parse(String(time));
    if (kind === 'running') {
      const point = from === undefined ? undefined : checkpoints.get(from);
      marks = marks.slice(0, point?.marks ?? 0);
      [began, worked] = [at, point?.seconds ?? 0];
    }
    const seconds = worked + Math.max(0, (at - began) / 1000);
    if (kind === 'checkpoint') checkpoints.set(step, { seconds, marks: marks.length });
    if (kind === 'metrics' && typeof lines === 'number' && Number.isFinite(seconds)) {
      const last = marks.at(-1);
      if (lines > (last?.lines ?? 0) && seconds >= (last?.seconds ?? 0)) marks.push({ lines, seconds });
    }
  }
  return marks;
}
