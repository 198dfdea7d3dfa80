// The thread that holds sessions: answers calls by id, and moves result buffers instead of copying them. While busy it
// sets a flag in memory shared with the main thread, which must not end the process meanwhile. It starts further
// threads of its kind, each with a port to the main thread: a new thread inherits its starter's flushing of denormal
// numbers.
import { parentPort, Worker, workerData } from 'node:worker_threads';

const port = workerData.port ?? parentPort;

const [working, stopping] = [0, 1];
const state = new Int32Array(workerData.state);

/** Runs the work unless the process is about to exit; false if it was not begun. */
async function unlessStopping(work) {
  Atomics.add(state, working, 1);
  try {
    if (Atomics.load(state, stopping) === 1) return false;
    await work();
    return true;
  } finally {
    Atomics.sub(state, working, 1);
    Atomics.notify(state, working);
  }
}

let runner;
// loading ONNX Runtime must not be interrupted either
const loaded = unlessStopping(async () => {
  const { createRunner } = await import('./node-runner.mjs');
  runner = createRunner();
});

/** Starts one more thread, which ends before this one. */
function start(data) {
  new Worker(new URL(import.meta.url), { workerData: data, transferList: [data.port] });
}

port.on('message', async ({ id, method, args }) => {
  if (!(await loaded)) return;
  if (method === 'close') return port.close();
  if (method === 'start') return start(...args);
  await unlessStopping(async () => {
    try {
      const result = await runner[method](...args);
      const buffers = new Set(Object.values(result ?? {}).map((value) => value.data?.buffer));
      port.postMessage(
        { id, result },
        [...buffers].filter((buffer) => buffer instanceof ArrayBuffer),
      );
    } catch (error) {
      port.postMessage({ id, error: error instanceof Error ? error.message : String(error) });
    }
  });
});
