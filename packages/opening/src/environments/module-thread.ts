/**
 * Custom code in a thread of its own, so that code that never returns can be stopped, prints nowhere but to `said`, ends no
 * process but its thread, and sees no more of `process.env` than it is given. It is no sandbox: the code may do whatever this
 * user may. Messages are copies, so results are the same as in this thread.
 */
import { MessageChannel, receiveMessageOnPort, Worker, type MessagePort } from 'node:worker_threads';
import { callWatch, type CallWatch } from './call-watch.ts';

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

/** The code gave no answer: a call ran into the time limit, or the thread ended. The message is a sentence with that call in it. */
export class NoAnswer extends Error {}

/** What is called. */
export interface Asked {
  /** the relay's name */
  readonly call: string;
  /** as a sentence names it, such as `step of b3`; null: the code as a whole */
  readonly where?: string | null;
}

export interface ModuleThread {
  /** Errors: what the code throws, as an `Error` with its message; `NoAnswer`. */
  call(asked: Asked, ...given: readonly unknown[]): Promise<unknown>;
  /** Blocks this thread until the answer. Errors: as `call`. */
  callAndWait(asked: Asked, ...given: readonly unknown[]): unknown;
  close(): Promise<void>;
}

interface Answer {
  readonly number: number;
  readonly value?: unknown;
  readonly thrown?: string;
}

interface Pending {
  readonly where: string | null;
  resolve(value: unknown): void;
  reject(error: Error): void;
}

/** places in the memory that both threads see: changes so far, the call that began last, whether a blocking call is answered */
const [changes, begunCall, isAnswered] = [0, 1, 2];

/** of threads that live */
const ports = new Set<MessagePort>();

/** Asks every thread to free what nobody refers to, after its calls under way: a thread's objects are its own to collect. */
export function collectInThreads(): void {
  for (const port of ports) port.postMessage({ call: 'collect' });
}

/** Starts the thread; its code is loaded by the call `load`. */
export function moduleThread(options: ThreadOptions): ModuleThread {
  const { seconds } = options;
  const progress = new Int32Array(new SharedArrayBuffer(12)).fill(-1);
  const { worker, port, answers } = startedWorker(options, progress);
  const pending = new Map<number, Pending>();
  let sent = 0;
  let ended: NoAnswer | null = null;
  const end = (sentence: string): NoAnswer => {
    ended ??= new NoAnswer(sentence);
    watch.stop();
    ports.delete(port);
    for (const { reject } of pending.values()) reject(ended);
    pending.clear();
    void worker.terminate();
    return ended;
  };
  const begun = (): number => Atomics.load(progress, begunCall);
  const tooLong = (number: number, where = pending.get(number)?.where): NoAnswer =>
    end(`${named(where)}gave no answer within ${seconds} s; mend it, or raise EMAC_ENV_SECONDS`);
  const watch = callWatch({
    seconds,
    calls: () => pending.keys(),
    begun,
    changes: () => Atomics.load(progress, changes),
    isBusy: busyPart(worker),
    exceeded: (number) => void tooLong(number),
  });
  port.on('message', (answer: Answer) => settle(pending, watch, answer));
  ports.add(port);
  // the watch keeps the process alive while an answer is awaited
  port.unref();
  worker.on('error', (error) => end(`code outside its calls ended the thread: ${error.message}`));
  worker.on('exit', () => end(`${named(pending.get(begun())?.where)}ended its thread`));
  return {
    call: ({ call, where = null }, ...given) =>
      new Promise((resolve, reject) => {
        if (ended) return reject(ended);
        const number = sent++;
        pending.set(number, { where, resolve, reject });
        watch.start();
        port.postMessage({ number, call, given });
      }),
    callAndWait({ call, where = null }, ...given) {
      if (ended) throw ended;
      const number = sent++;
      Atomics.store(progress, isAnswered, 0);
      port.postMessage({ number, call, given, isAwaited: true });
      while (Atomics.load(progress, isAnswered) === 0) {
        const seen = Atomics.load(progress, changes);
        if (Atomics.load(progress, isAnswered) !== 0) break;
        if (Atomics.wait(progress, changes, seen, 1000 * seconds) === 'timed-out')
          throw begun() === number ? tooLong(number, where) : tooLong(begun());
      }
      return valueOf(received(answers));
    },
    close: async () => {
      end('the thread of the code was closed');
      for (const each of [port, answers]) each.close();
      await worker.terminate();
    },
  };
}

function startedWorker({ url, exported, env, said }: ThreadOptions, progress: Int32Array) {
  const [calls, blocking] = [new MessageChannel(), new MessageChannel()];
  const theirs = [calls.port2, blocking.port2];
  const worker = new Worker(relay, {
    workerData: { url, exported, port: calls.port2, answers: blocking.port2, progress },
    transferList: theirs,
    env: { ...env },
    stdout: true,
    stderr: true,
  });
  worker.unref();
  for (const stream of [worker.stdout, worker.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => said(text));
  return { worker, port: calls.port1, answers: blocking.port1 };
}

/** Whether the thread has mostly computed since this was last asked, rather than waited. */
function busyPart(worker: Worker): () => boolean {
  let last = worker.performance.eventLoopUtilization();
  return () => {
    const now = worker.performance.eventLoopUtilization();
    const { utilization } = worker.performance.eventLoopUtilization(now, last);
    last = now;
    return utilization > 0.5;
  };
}

function named(where: string | null | undefined): string {
  return where ? `${where} ` : '';
}

function settle(pending: Map<number, Pending>, watch: CallWatch, answer: Answer): void {
  const waiting = pending.get(answer.number);
  if (!waiting) return;
  pending.delete(answer.number);
  if (pending.size === 0) watch.stop();
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
