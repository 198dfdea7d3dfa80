/**
 * A custom environment in a thread of its own, so that code that never returns can be stopped, prints nowhere but to
 * `said`, and sees no keys in `process.env`. It is no sandbox: the code may do whatever this user may. Messages are
 * copies, so episodes are the same as in this thread.
 */
import { MessageChannel, receiveMessageOnPort, Worker, type MessagePort } from 'node:worker_threads';

const relay = new URL('../../worker/module-relay.mjs', import.meta.url);

export interface ThreadOptions {
  /** address of the file, and the name of its export, null for the default */
  readonly url: string;
  readonly exported: string | null;
  /** longest time of one call, in seconds; Infinity: the caller limits it */
  readonly seconds: number;
  /** environment variables of the code */
  readonly env: Readonly<Record<string, string>>;
  /** receives what the code prints */
  readonly said: (text: string) => void;
}

/** The code gave no answer: it ran into the time limit, or its thread ended. The message continues a sentence about the call. */
export class NoAnswer extends Error {}

export interface ModuleThread {
  /** Errors: what the code throws, as an `Error` with its message; `NoAnswer`. */
  call(name: string, ...given: readonly unknown[]): Promise<unknown>;
  /** Blocks this thread until the answer. Errors: as `call`. */
  callAndWait(name: string, ...given: readonly unknown[]): unknown;
  close(): Promise<void>;
}

interface Answer {
  readonly number: number;
  readonly value?: unknown;
  readonly thrown?: string;
}

interface Pending {
  resolve(value: unknown): void;
  reject(error: Error): void;
  readonly timer: NodeJS.Timeout | null;
}

/** Starts the thread; its code is loaded by the call `load`. */
export function moduleThread({ url, exported, seconds, env, said }: ThreadOptions): ModuleThread {
  const { port1: answers, port2 } = new MessageChannel();
  const flag = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(relay, {
    workerData: { url, exported, answers: port2, flag },
    transferList: [port2],
    env: { ...env },
    stdout: true,
    stderr: true,
  });
  // an open timer keeps the process alive while an answer is awaited
  worker.unref();
  for (const stream of [worker.stdout, worker.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => said(text));
  const pending = new Map<number, Pending>();
  let sent = 0;
  let ended: NoAnswer | null = null;
  const end = (why: string): NoAnswer => {
    ended ??= new NoAnswer(why);
    for (const { reject, timer } of pending.values()) {
      if (timer) clearTimeout(timer);
      reject(ended);
    }
    pending.clear();
    void worker.terminate();
    return ended;
  };
  worker.on('message', (answer: Answer) => settle(pending, answer));
  worker.on('error', (error) => end(`ended its thread: ${error.message}`));
  worker.on('exit', () => end('ended its thread'));
  return {
    call: (name, ...given) =>
      new Promise((resolve, reject) => {
        if (ended) return reject(ended);
        const number = sent++;
        const timer = seconds === Infinity ? null : setTimeout(() => end(tooLong(seconds)), 1000 * seconds);
        pending.set(number, { resolve, reject, timer });
        worker.postMessage({ number, call: name, given });
      }),
    callAndWait(name, ...given) {
      if (ended) throw ended;
      Atomics.store(flag, 0, 0);
      worker.postMessage({ number: sent++, call: name, given, isAwaited: true });
      if (Atomics.wait(flag, 0, 0, 1000 * seconds) === 'timed-out') throw end(tooLong(seconds));
      return valueOf(received(answers));
    },
    close: async () => {
      end('was closed');
      answers.close();
      await worker.terminate();
    },
  };
}

function tooLong(seconds: number): string {
  return `gave no answer within ${seconds} s; mend it, or raise EMAC_ENV_SECONDS`;
}

function settle(pending: Map<number, Pending>, answer: Answer): void {
  const waiting = pending.get(answer.number);
  if (!waiting) return;
  pending.delete(answer.number);
  if (waiting.timer) clearTimeout(waiting.timer);
  if (answer.thrown === undefined) waiting.resolve(answer.value);
  else waiting.reject(new Error(answer.thrown));
}

function received(port: MessagePort): Answer {
  return (receiveMessageOnPort(port) as { readonly message: Answer }).message;
}

function valueOf({ value, thrown }: Answer): unknown {
  if (thrown !== undefined) throw new Error(thrown);
  return value;
}
