/** Trackers behind an address: what the run has written is sent in order, while training goes on. */
import { cappedAnswer, EmacError, reasonOf } from '@emac/core';
import { followMeasures, type Measures } from './measures.ts';
import type { Tracker } from './tensorboard.ts';

/** What a service does with a run. Each may reject. */
export interface Service {
  /** before anything is sent */
  open(): Promise<void>;
  send(measures: readonly Measures[]): Promise<void>;
  /** after everything was sent */
  end(): Promise<void>;
}

/**
 * Sends a run to a service. `follow` throws what an earlier message failed with, so a service that fails is reported once; `close` resolves
 * when everything has arrived. Errors: `io` for a run's file; those of the service.
 */
export function sendTo(run: string, service: Service): Tracker {
  const measures = followMeasures(run);
  let waiting: Measures[] = [];
  let failure: unknown = null;
  let isClosed = false;
  let sending = service.open();
  const sendAll = async () => {
    await sending;
    const part = waiting;
    waiting = [];
    if (part.length > 0) await service.send(part);
  };
  // each message waits for the one before it; the first failure is kept for the next call
  const queue = (work: () => Promise<void>) => {
    sending = work();
    sending.catch((thrown: unknown) => (failure ??= thrown));
  };
  const follow = () => {
    if (isClosed) return;
    if (failure !== null) throw failure;
    waiting.push(...measures());
    queue(sendAll);
  };
  sending.catch((thrown: unknown) => (failure ??= thrown));
  follow();
  return {
    follow,
    async close() {
      if (isClosed) return;
      follow();
      isClosed = true;
      await sending;
      await service.end();
    },
  };
}

/** How long a message may take before the run goes on without the tracker. */
const patience = 10_000;

export interface Message {
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: object;
}

/** Posts JSON; returns the answer's. Errors: `unavailable` naming address and status, or why there was no answer. */
export async function post(base: string, { path, headers = {}, body }: Message): Promise<unknown> {
  const address = new URL(path, base.endsWith('/') ? base : `${base}/`);
  const failed = (why: string) =>
    new EmacError('unavailable', `${address.origin}${address.pathname}: ${why}`);
  const answer = await fetch(address, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(patience),
  }).catch((thrown: unknown) => {
    throw failed(`did not answer (${reasonOf(thrown)})`);
  });
  const text = await cappedAnswer(answer)
    .text()
    .catch((thrown: unknown) => {
      throw failed(reasonOf(thrown));
    });
  if (!answer.ok) throw failed(`answered ${answer.status}: ${text.slice(0, 200)}`);
  try {
    return text === '' ? {} : JSON.parse(text);
  } catch {
    throw failed(`answered no JSON: ${text.slice(0, 200)}`);
  }
}
