// The thread that holds sessions: answers calls by id, moves result buffers instead of copying them. While it works
// it says so in memory that it shares with the thread that started it, which must not end the process meanwhile.
import { parentPort, workerData } from 'node:worker_threads';

const [working, stopping] = [0, 1];
const state = new Int32Array(workerData.state);

/** Does the work unless the process is about to end; false where it was not begun. */
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
// loading ONNX Runtime must not be cut short either
const loaded = unlessStopping(async () => {
  const { createRunner } = await import('./runner.mjs');
  runner = createRunner();
});

parentPort.on('message', async ({ id, method, args }) => {
  if (!(await loaded)) return;
  if (method === 'close') return parentPort.close();
  await unlessStopping(async () => {
    try {
      const result = await runner[method](...args);
      const buffers = new Set(Object.values(result ?? {}).map((value) => value.data?.buffer));
      parentPort.postMessage(
        { id, result },
        [...buffers].filter((buffer) => buffer instanceof ArrayBuffer),
      );
    } catch (error) {
      parentPort.postMessage({ id, error: error instanceof Error ? error.message : String(error) });
    }
  });
});
