/**
 * The one error class for all faults that a user can meet. The code decides the command's exit status (sysexits, so
 * schedulers can act on it); the message has place, rule, actual value and remedy.
 */
export const exitCodes = {
  /** a check ran and failed */
  'check-failed': 2,
  /** wrong flags or flag values */
  usage: 64,
  /** a damaged file, or a checkpoint of another model */
  data: 65,
  /** a path that does not exist */
  missing: 66,
  /** a requested backend or service is absent */
  unavailable: 69,
  /** a broken internal invariant */
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

/** A remote environment failed: one episode is lost and says nothing about its policy; other episodes may continue. */
export class LostEpisode extends EmacError {
  constructor(message: string, options?: { cause?: unknown }) {
    super('unavailable', message, options);
  }
}

/** what a process lacks when a module does not load although it is installed */
const shortages: Readonly<Record<string, string>> = {
  EMFILE: 'close other files of this process, or raise the limit with ulimit -n',
  ENFILE: 'close other programs, this machine has too many files open',
  ENOMEM: 'free memory, or raise its limit',
  ERR_WORKER_OUT_OF_MEMORY: 'free memory, or raise its limit',
  EAGAIN: 'close other programs, or raise the limit of processes with ulimit -u',
};

/** A part that does not load: `io` with what is short, else `unavailable`, since it is not installed whole. */
export function notLoaded(what: string, cause: unknown): EmacError {
  const why = messageOf(cause).trim().split('\n')[0]!;
  const code = cause instanceof Error ? (cause as { readonly code?: unknown }).code : undefined;
  const shortage = typeof code === 'string' ? shortages[code] : undefined;
  return new EmacError(
    shortage === undefined ? 'unavailable' : 'io',
    `${what} cannot be loaded: ${why}; ${shortage ?? 'install again with npm ci'}`,
    { cause },
  );
}

/** Throws an `internal` error when the condition is false: for invariants, never for user input. */
export function invariant(condition: unknown, message: string): asserts condition {
  if (!condition) throw new EmacError('internal', message);
}

/** The message of anything thrown. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** Why an exchange failed: `fetch` says only that it did, and keeps the reason as the error's cause. */
export function reasonOf(thrown: unknown): string {
  return messageOf(thrown instanceof Error ? (thrown.cause ?? thrown) : thrown);
}
