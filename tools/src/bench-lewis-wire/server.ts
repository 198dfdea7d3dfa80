/**
 * A listener's service as a separate process. Its model knows the concept in each drawn view. A call takes a fixed time
 * for any number of pictures, nearly as on an accelerator. It reports its address to its parent.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { listen, listenerService, openPictures } from '@emac/bridge';
import { agreement, thingOf, type Listener } from '@emac/lewis';

const callMs = Number(process.argv[2]);

const listener: Listener = {
  identity: () => Promise.resolve('agreement'),
  ask: async (questions) => {
    if (callMs > 0) await sleep(callMs);
    const answers = questions.map(({ picture, question }) => agreement(question, thingOf(picture)));
    return { answers, identity: 'agreement' };
  },
};

const app = listenerService({
  listener,
  pictures: openPictures({ folder: null }),
  model: 'agreement',
  concurrency: 1,
  acquireTimeoutMs: 300_000,
  batchSize: 5,
  now: () => performance.now(),
});
const server = await listen({ port: 0, fetch: (request) => app.fetch(request) });
process.on('disconnect', () => void server.close());
process.send!(server.address);
