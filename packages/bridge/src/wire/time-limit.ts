/** Time limits of requests. */

export interface TimeLimit {
  /** fires when the time is over, with a `TimeoutError` */
  readonly signal: AbortSignal;
  /** stops the timer; for `finally` */
  readonly clear: () => void;
}

/**
 * A limit in milliseconds. Its timer holds the signal. `AbortSignal.timeout` does not: inside `AbortSignal.any`, garbage
 * collection may remove it before it fires, and the request waits forever (nodejs/node#57736).
 */
export function timeLimit(milliseconds: number): TimeLimit {
  const end = new AbortController();
  const timer = setTimeout(
    () => end.abort(new DOMException(`no answer in ${milliseconds} ms`, 'TimeoutError')),
    milliseconds,
  );
  return { signal: end.signal, clear: () => clearTimeout(timer) };
}
