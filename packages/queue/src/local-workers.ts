/**
 * The workers of a queue in the process. Timers of the same thread renew their leases. A handler that blocks the thread
 * also blocks every worker that could take its job; afterwards the renewal, due earlier, runs before the expiry.
 */
import type { Clock } from './clock.ts';
import type { Heart, Lease, WorkerReport } from './queue.ts';

export interface Renewing {
  readonly every: number;
  readonly clock: Clock;
  /** false if the lease is lost */
  readonly renew: (lease: Lease) => boolean;
}

export interface LocalWorkers {
  join(report: WorkerReport, renewing: Renewing): Heart;
  list(): WorkerReport[];
}

export function localWorkers(): LocalWorkers {
  const reports = new Map<string, WorkerReport>();
  return {
    list: () => [...reports.values()].sort((a, b) => (a.id < b.id ? -1 : 1)),
    join(report, renewing) {
      reports.set(report.id, report);
      const held = new Map<string, () => void>();
      const release = ({ id, token }: Lease): void => {
        held.get(`${id} ${token}`)?.();
        held.delete(`${id} ${token}`);
      };
      return {
        report: (said) => void reports.set(said.id, said),
        hold(lease) {
          const { signal, end } = renewed(lease, renewing);
          held.set(`${lease.id} ${lease.token}`, end);
          return signal;
        },
        release,
        check: () => {},
        async stop() {
          for (const end of held.values()) end();
          reports.delete(report.id);
        },
      };
    },
  };
}

function renewed(lease: Lease, { every, clock, renew }: Renewing) {
  const lost = new AbortController();
  let end = (): void => {};
  const beat = (): void => {
    if (renew(lease)) end = clock.after(every, beat);
    else lost.abort();
  };
  end = clock.after(every, beat);
  return { signal: lost.signal, end: () => end() };
}
