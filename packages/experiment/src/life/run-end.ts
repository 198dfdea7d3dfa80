/** Ends a stopped run, with the fault, the run and the remedy. */
import { EmacError, messageOf } from '@emac/core';
import { BadPicture } from '@emac/datasets';
import { ModuleFault } from '@emac/opening';
import type { Run } from '@emac/runs';

export interface StoppedRun {
  readonly folder: string;
  /** time or the user can fix it: the run continues with `resume` */
  readonly canGoOn: boolean;
  /** a dataset's picture must be repaired, or its record skipped */
  readonly isBadPicture: boolean;
  /** a custom environment's code must be fixed, and then differs from the run's */
  readonly isOfModule: boolean;
}

/** Code and message of the fault itself. */
export class RunError extends EmacError {
  readonly run: StoppedRun;

  constructor(fault: EmacError, run: StoppedRun) {
    super(fault.code, fault.message, { cause: fault });
    this.run = run;
  }
}

/** Records the error in the run; returns the error to throw. */
export function runEnded(run: Run, thrown: unknown): unknown {
  recordEnd(run, thrown);
  return runFault(run.folder, thrown);
}

/** Internal faults keep their stack; others name the run, and whether it can resume. */
function runFault(folder: string, thrown: unknown): unknown {
  if (!(thrown instanceof EmacError)) return thrown;
  const isBadPicture = thrown instanceof BadPicture;
  const isOfModule = thrown instanceof ModuleFault;
  const canGoOn =
    isBadPicture || isOfModule || ['interrupted', 'unavailable', 'auth', 'io'].includes(thrown.code);
  return new RunError(thrown, { folder, canGoOn, isBadPicture, isOfModule });
}

/** A record that cannot be written must not hide why the run ended. */
function recordEnd(run: Run, thrown: unknown): void {
  const isStopped = thrown instanceof EmacError && thrown.code === 'interrupted';
  try {
    run.stop(isStopped ? 'interrupted' : 'failed', messageOf(thrown));
  } catch (unwritable) {
    if (!(unwritable instanceof EmacError)) throw unwritable;
  }
}
