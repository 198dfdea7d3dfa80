/**
 * Where sessions live: a worker thread, because a run blocks its thread, or this thread. All sessions of a process
 * share one worker: ONNX Runtime flushes denormal numbers only in the thread of the first session
 * (`session-provider.ts`), and runs use all cores anyway. Otherwise the shared worker starts a further thread, which
 * inherits the flushing. The worker is plain JavaScript, so it starts from sources and from packages alike; numbers
 * move as transferred buffers.
 */
import { MessageChannel, Worker, type MessagePort } from 'node:worker_threads';
import { EmacError } from '@emac/core';
import { keeping, keepsSessions } from './kept-sessions.ts';
import type { RunningThread, SessionThread } from './running-thread.ts';
import type { Provider } from './session-provider.ts';

const runnerModule = new URL('../worker/node-runner.mjs', import.meta.url);
const workerModule = new URL('../worker/worker.mjs', import.meta.url);

/**
 * Settings of ONNX Runtime that its library reads while loading; values already set stay. Its library for Linux and macOS sends
 * statistics to its maker and keeps a file for them in the cache folder, unless told otherwise. NVIDIA's libraries round the factors of
 * float32 products to 10 bits (TF32), unless told otherwise: gradients of a language model were off by 3e-3, then by 5e-5.
 */
export function prepareRuntime(provider: Provider): void {
  process.env['ORT_DISABLE_TELEMETRY'] ??= '1';
  if (provider === 'cuda') process.env['NVIDIA_TF32_OVERRIDE'] ??= '0';
}

/** Sessions in this thread. */
export async function mainThread(_provider?: Provider): Promise<SessionThread> {
  const { createRunner } = (await import(runnerModule.href)) as {
    createRunner(): RunningThread;
  };
  return { ...createRunner(), leave: () => Promise.resolve() };
}

/** Whether sessions of `anotherThread` compute while those of `workerThread` do. */
export const areThreadsApart = true;

interface RunningWorker {
  readonly thread: RunningThread;
  readonly hasEnded: () => boolean;
  readonly end: () => Promise<void>;
}

interface SharedWorker extends RunningWorker {
  /** starts a further worker with its own port */
  readonly start: (data: WorkerData & { readonly port: MessagePort }) => void;
  users: number;
}

/** shared memory where a worker marks that it is busy */
interface WorkerData {
  readonly state: SharedArrayBuffer;
}

let shared: SharedWorker | undefined;

/** Sessions in the shared worker thread. The thread ends when its last user leaves; while idle it does not keep the process alive. */
export function workerThread(_provider?: Provider): SessionThread {
  const { mine, leave } = joinShared();
  return { ...mine.thread, leave };
}

/**
 * Sessions in a separate worker thread beside the shared one. Denormal numbers are flushed as there, if a session was
 * created there before.
 */
export function anotherThread(_provider?: Provider): SessionThread {
  const { mine, leave } = joinShared();
  const state = new Int32Array(new SharedArrayBuffer(8));
  const { port1, port2 } = new MessageChannel();
  endAfterWork(port1, state);
  mine.start({ port: port2, state: state.buffer });
  const another = runningWorker(port1);
  return { ...another.thread, leave: () => another.end().then(leave) };
}

function joinShared(): { mine: SharedWorker; leave: () => Promise<void> } {
  if (!shared || shared.hasEnded()) shared = startWorker();
  const mine = shared;
  mine.users++;
  const leave = async () => {
    if (--mine.users > 0) return;
    if (shared === mine) shared = undefined;
    await mine.end();
  };
  return { mine, leave };
}

function startWorker(): SharedWorker {
  const state = new Int32Array(new SharedArrayBuffer(8));
  const worker = new Worker(workerModule, { workerData: { state: state.buffer } satisfies WorkerData });
  endAfterWork(worker, state);
  const running = runningWorker(worker);
  return {
    ...running,
    thread: keeping(running.thread),
    start: (data) => worker.postMessage({ method: 'start', args: [data] }, [data.port]),
    // one more than there are, if the thread is to stay
    users: keepsSessions() ? 1 : 0,
  };
}

/** A worker, or the port to one; the port closes with the worker. */
type Line = Worker | MessagePort;

function runningWorker(line: Line): RunningWorker {
  const { call, hasEnded } = callsTo(line);
  return {
    thread: {
      create: (session, model, options) => call('create', session, model, options),
      run: (session, feeds, wanted) => call('run', session, feeds, wanted),
      load: (stored) => call('load', stored),
      forget: (kept) => call('forget', kept),
      release: (session) => call('release', session),
    },
    hasEnded,
    // the thread ends by itself: terminating it can hit ONNX Runtime's binding half-way and abort the process
    end: () =>
      new Promise((resolve) => {
        if (hasEnded()) return resolve();
        whenEnded(line, resolve);
        line.ref();
        line.postMessage({ method: 'close' });
      }),
  };
}

function whenEnded(line: Line, then: () => void): void {
  line.once(line instanceof Worker ? 'exit' : 'close', then);
}

const [working, stopping] = [0, 1];
/** runs beyond this are cut off; a single graph takes far less */
const patienceMs = 60_000;

/**
 * A process that exits while ONNX Runtime computes in a worker aborts, because the binding meets a thread without
 * JavaScript. So `process.exit` waits for runs that have begun, and no other begins.
 */
function endAfterWork(line: Line, state: Int32Array): void {
  const waitForWork = (): void => {
    Atomics.store(state, stopping, 1);
    const works = (): number => Atomics.load(state, working);
    for (let left = works(); left > 0; left = works())
      if (Atomics.wait(state, working, left, patienceMs) === 'timed-out') return;
  };
  process.once('exit', waitForWork);
  whenEnded(line, () => process.off('exit', waitForWork));
}

interface Call {
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

interface Reply {
  readonly id: number;
  readonly result?: unknown;
  readonly error?: string;
}

interface Calls {
  readonly call: <T>(method: string, ...args: unknown[]) => Promise<T>;
  readonly hasEnded: () => boolean;
}

/** Calls a worker's methods; every call settles, even if the worker ends or has ended. */
function callsTo(line: Line): Calls {
  const waiting = new Map<number, Call>();
  let count = 0;
  let ended: EmacError | undefined;
  const take = (id: number): Call | undefined => {
    const call = waiting.get(id);
    waiting.delete(id);
    if (waiting.size === 0) line.unref();
    return call;
  };
  const fail = (why: string, cause?: unknown) => {
    ended ??= new EmacError('internal', `the ONNX Runtime worker ${why}`, { cause });
    for (const id of [...waiting.keys()]) take(id)?.reject(ended);
  };
  line.on('message', ({ id, result, error }: Reply) => {
    const call = take(id);
    if (error === undefined) call?.resolve(result);
    else call?.reject(new Error(error));
  });
  line.on('messageerror', (error) => fail('sent a reply that cannot be read', error));
  line.on('error', (error: Error) => fail(`failed: ${error.message}`, error));
  whenEnded(line, () => fail('has ended'));
  // listening to a port has kept the process alive
  line.unref();
  const call: Calls['call'] = (method, ...args) =>
    new Promise((resolve, reject) => {
      if (ended) return reject(ended);
      const id = count++;
      waiting.set(id, { resolve: resolve as Call['resolve'], reject });
      line.ref();
      try {
        line.postMessage({ id, method, args });
      } catch (error) {
        take(id)?.reject(error);
      }
    });
  return { call, hasEnded: () => ended !== undefined };
}
