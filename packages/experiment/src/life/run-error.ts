/** A fault that stopped a run: which run, and what can be done about it. */
import { EmacError } from '@emac/core';

export interface StoppedRun {
  readonly folder: string;
  /** time or the user can put it right: the run goes on with `resume` */
  readonly canGoOn: boolean;
  /** a picture of a dataset has to be repaired, or its record left out */
  readonly isBadPicture: boolean;
  /** the code of somebody's environment has to be mended, and is then other code than the run began with */
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
