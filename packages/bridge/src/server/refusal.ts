/**
 * An answer to a request that is not carried out, in the form of OpenAI's errors. It says what the asker can change and nothing
 * about this machine: no stack, no path, no environment.
 */

export interface Refusal {
  readonly status: number;
  /** one word for programs, such as `host_not_allowed` */
  readonly code: string;
  readonly message: string;
  /** the field of the body that is meant; null for none */
  readonly param?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What is wrong with a request, wherever in it that is found. */
export class RefusedRequest extends Error {
  override readonly name = 'RefusedRequest';
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super(refusal.message);
    this.refusal = refusal;
  }
}

/** The response that tells a refusal. */
export function refused(refusal: Refusal): Response {
  const { status, headers = {} } = refusal;
  return Response.json(refusalBody(refusal), { status, headers });
}

/** The body of that response. */
export function refusalBody({ status, code, message, param = null }: Refusal): object {
  const type = status >= 500 ? 'server_error' : 'invalid_request_error';
  return { error: { message, type, param, code } };
}

/** What is said of a fault of ours: nothing that it holds. */
export const internalFault: Refusal = {
  status: 500,
  code: 'internal_error',
  message: 'The server failed to answer this request; its own log says why.',
};
