/** `emac worker`: plays episodes and steps, and answers, for runs and evaluations elsewhere that were started with `--queue`. */
import { hostname } from 'node:os';
import { EmacError } from '@emac/core';
import { work } from '@emac/experiment';
import { openWorkers, sharedHelp } from '../options/queue-options.ts';
import { integer, requiredText, text } from '../options/option.ts';
import { counted } from '../terminal/amounts.ts';
import { hostOf, quietOption } from '../terminal/host.ts';
import { say } from '../terminal/io.ts';
import { command } from './command.ts';

export const workerCommand = command({
  options: {
    queue: requiredText('address of the queue, redis://HOST:PORT or rediss://'),
    shared: requiredText(sharedHelp),
    model: text({
      help: 'where this machine has the model of the run; it must be the same one',
      default: null,
      defaultText: 'where the run says',
    }),
    'lease-seconds': integer([1, 3600], {
      help: 'a job of a worker that is gone is given to another after so long, or twice that',
      default: 30,
    }),
    ...quietOption,
  },
  run: async ({ queue, shared, model, quiet, 'lease-seconds': seconds }, _words, io) => {
    const { workers, close } = await openWorkers({ queue, shared }, io, { leaseMs: 1000 * seconds });
    try {
      if (!workers)
        throw new EmacError(
          'usage',
          `--queue ${queue}: a worker needs one that others reach; give redis://HOST:PORT`,
        );
      const signal = io.catchInterruption('the job at hand');
      const id = `${hostname()}-${process.pid}`;
      const said = (line: string): void => void (quiet || say(io.stderr, line));
      said(`worker ${id}: waits for jobs; SIGTERM or Ctrl-C ends it after the one at hand`);
      const done = await work({
        ...workers,
        identity: { id, host: hostname(), pid: process.pid },
        host: hostOf(io, signal, { quiet: true }),
        model,
        played: (job) => said(`played ${job}`),
      });
      say(io.stdout, `worker ${id}: ${counted(done.counted, 'job')} counted`);
    } finally {
      await close();
    }
    return 0;
  },
});
