/** Waiting calls in the process, first come, first served. */
export interface WaitingLine {
  readonly length: number;
  /** resolves to true when woken, to false when the signal fires */
  wait(signal?: AbortSignal): Promise<boolean>;
  wake(): void;
  wakeAll(): void;
}

export function waitingLine(): WaitingLine {
  const line = new Set<() => void>();
  const wake = (): void => {
    const [first] = line;
    first?.();
  };
  return {
    get length() {
      return line.size;
    },
    wait: (signal) =>
      new Promise((resolve) => {
        if (signal?.aborted) return resolve(false);
        const leave = (woken: boolean): void => {
          line.delete(called);
          signal?.removeEventListener('abort', aborted);
          resolve(woken);
        };
        const called = (): void => leave(true);
        const aborted = (): void => leave(false);
        line.add(called);
        signal?.addEventListener('abort', aborted);
      }),
    wake,
    wakeAll() {
      for (const called of [...line]) called();
    },
  };
}
