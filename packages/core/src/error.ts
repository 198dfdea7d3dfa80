/**
 * One error class for every fault a user can meet. The code decides the exit status of the command
 * (sysexits, so that schedulers can act on it); the message says place, rule, actual value and what to do.
 */
export const exitCodes = {
  /** a check ran and failed */
  'check-failed': 2,
  /** wrong flags or flag values */
  usage: 64,
  /** a damaged file, or a checkpoint of another model */
  data: 65,
  /** a path that is not there */
  missing: 66,
  /** a backend or service that is asked for and absent */
  unavailable: 69,
  /** an invariant of ours is broken */
  internal: 70,
  /** an output that cannot be created */
  'cannot-create': 73,
  /** reading or writing failed (disk full, I/O error) */
  io: 74,
  /** stopped, resumable */
  interrupted: 75,
  /** a missing or refused key, or a path without permission */
  auth: 77,
  /** a configuration file */
  config: 78,
} as const;

export type EmacErrorCode = keyof typeof exitCodes;

export class EmacError extends Error {
  override readonly name = 'EmacError';
  readonly code: EmacErrorCode;

  constructor(code: EmacErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
  }

  get exitCode(): number {
    return exitCodes[this.code];
  }
}

/** An environment that runs elsewhere failed: one episode is lost, which says nothing of who acted in it; others may go on. */
export class LostEpisode extends EmacError {
  constructor(message: string, options?: { cause?: unknown }) {
    super('unavailable', message, options);
  }
}

/** Throws an `internal` error when the condition is false: for invariants, never for user input. */
export function invariant(condition: unknown, message: string): asserts condition {
  if (!condition) throw new EmacError('internal', message);
}

/** The message of anything thrown. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
