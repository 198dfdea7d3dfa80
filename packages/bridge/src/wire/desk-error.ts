/** Reasons to refuse a client's message, with their status. */
const statuses = {
  unknown_client: 404,
  out_of_step: 409,
  other_wire: 409,
  other_environment: 409,
  finished: 409,
  overloaded: 503,
} as const;

export class DeskError extends Error {
  override readonly name = 'DeskError';
  readonly code: keyof typeof statuses;

  constructor(code: keyof typeof statuses, message: string) {
    super(message);
    this.code = code;
  }

  get status(): number {
    return statuses[this.code];
  }
}

export function deskError(code: keyof typeof statuses, message: string): DeskError {
  return new DeskError(code, message);
}
