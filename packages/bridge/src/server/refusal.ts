/**
 * An answer to a refused request, in the form of OpenAI's errors. It says what the client can change and nothing about
 * this machine: no stack, no path, no environment.
 */

export interface Refusal {
  readonly status: number;
  /** one word for programs, such as `host_not_allowed` */
  readonly code: string;
  readonly message: string;
  /** the field of the body at fault; null for none */
  readonly param?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A request that the server refused itself. */
export interface RefusedHere {
  /** null if not known yet */
  readonly path: string | null;
  readonly status: number;
}

/** A fault in a request, thrown from anywhere. */
export class RefusedRequest extends Error {
  override readonly name = 'RefusedRequest';
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super(refusal.message);
    this.refusal = refusal;
  }
}

/** The response for a refusal. */
export function refused(refusal: Refusal): Response {
  const { status, headers = {} } = refusal;
  return Response.json(refusalBody(refusal), { status, headers });
}

/** The body of that response. */
export function refusalBody({ status, code, message, param = null }: Refusal): object {
  const type = status >= 500 ? 'server_error' : 'invalid_request_error';
  return { error: { message, type, param, code } };
}

/** The reply to an internal fault, without details. */
export const internalFault: Refusal = {
  status: 500,
  code: 'internal_error',
  message: 'The server failed to answer this request; its own log says why.',
};
