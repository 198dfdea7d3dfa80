// The thread that holds sessions: answers calls by id, moves result buffers instead of copying them.
import { parentPort } from 'node:worker_threads';
import { createRunner } from './runner.mjs';

const runner = createRunner();

parentPort.on('message', async ({ id, method, args }) => {
  if (method === 'close') return parentPort.close();
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
