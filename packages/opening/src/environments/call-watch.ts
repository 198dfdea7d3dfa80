/**
 * Limits the time of calls in another thread. Calls queue there, so the time of one starts when the thread begins it. While the
 * thread computes, only one call runs, and that time is charged to nobody else: an answer, or the begin of another call, ends it.
 * Time is counted in ticks of this thread, so a pause of the whole process counts as one tick.
 */
export interface CallWatch {
  start(): void;
  stop(): void;
}

export interface WatchedThread {
  /** longest time; Infinity: no limit */
  readonly seconds: number;
  /** numbers of the calls without an answer, in order */
  readonly calls: () => Iterable<number>;
  /** the call that began last; those before it have begun, too */
  readonly begun: () => number;
  /** grows with every call that begins or ends */
  readonly changes: () => number;
  /** whether the thread has computed since it was last asked, rather than waited */
  readonly isBusy: () => boolean;
  /** this call has taken too long */
  readonly exceeded: (number: number) => void;
}

/** in the limit */
const ticks = 20;

export function callWatch(thread: WatchedThread): CallWatch {
  let timer: NodeJS.Timeout | null = null;
  let waited = new Map<number, number>();
  let [computed, seen] = [0, -1];
  const stop = (): void => {
    if (timer) clearInterval(timer);
    timer = null;
    waited = new Map();
    computed = 0;
  };
  const tick = (): void => {
    const begun = [...thread.calls()].filter((number) => number <= thread.begun());
    const changes = thread.changes();
    const isBusy = thread.isBusy();
    computed = isBusy && changes === seen ? computed + 1 : 0;
    seen = changes;
    waited = new Map(begun.map((number) => [number, (waited.get(number) ?? -1) + (isBusy ? 0 : 1)]));
    const late = begun.find((number) => waited.get(number)! >= ticks);
    if (late !== undefined) thread.exceeded(late);
    else if (computed >= ticks) thread.exceeded(thread.begun());
  };
  return {
    stop,
    start() {
      if (thread.seconds !== Infinity) timer ??= setInterval(tick, (1000 * thread.seconds) / ticks);
    },
  };
}
