/** A fault that stopped a run, with the run and the remedy. */
import { EmacError } from '@emac/core';

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
