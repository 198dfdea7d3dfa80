/** `emac worker`: plays episodes and steps, answers prompts, and computes gradients for runs, evaluations and collections started elsewhere with `--queue`. */
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { EmacError } from '@emac/core';
import { work } from '@emac/experiment';
import { givenEnvironment, namesModule } from '../options/given-code.ts';
import { openWorkers, sharedHelp } from '../options/queue-options.ts';
import { integer, requiredText, text } from '../options/option.ts';
import { counted } from '../terminal/amounts.ts';
import { quietOption } from '../options/quiet-option.ts';
import { hostOf } from '../terminal/host.ts';
import { say } from '../terminal/io.ts';
import { command } from '../calling/command.ts';

export const workerCommand = command({
  options: {
    queue: requiredText('address of the queue, redis://HOST:PORT or rediss://'),
    shared: requiredText(sharedHelp),
    model: {
      ...text({
        help: 'path of the run’s model on this machine; must be the same model',
        default: null,
        defaultText: 'the path that the run names',
      }),
      aliases: ['policy'],
    },
    env: text({
      help: "file of the run's custom environment, such as ./mine.mjs, or its mcp:…; only this flag runs its code; --agent for an agent",
      default: null,
    }),
    'lease-seconds': integer([1, 3600], {
      help: 'time after which a lost worker’s job goes to another worker, at most twice',
      default: 30,
    }),
    ...quietOption,
  },
  run: async ({ queue, shared, model, env, quiet, 'lease-seconds': seconds }, _words, io) => {
    const code = await givenModule(env);
    const signal = io.catchInterruption('the current job');
    const settings = { leaseMs: 1000 * seconds, signal };
    const { workers, close } = await openWorkers({ queue, shared }, io, settings);
    try {
      if (!workers)
        throw new EmacError(
          'usage',
          `--queue ${queue}: a worker needs a queue that others reach; give redis://HOST:PORT`,
        );
      // containers may share a host name and process ids
      const id = `${hostname()}-${process.pid}-${randomBytes(2).toString('hex')}`;
      const said = (line: string): void => void (quiet || say(io.stderr, line));
      said(`worker ${id}: waits for jobs; SIGTERM or Ctrl-C ends it after the current job`);
      const done = await work({
        ...workers,
        identity: { id, host: hostname(), pid: process.pid },
        host: { ...hostOf(io, signal, { quiet: true }), ...code },
        model,
        did: said,
      });
      say(io.stdout, `worker ${id}: ${counted(done.counted, 'job')} counted`);
    } finally {
      await close();
    }
    return 0;
  },
});

/** A run's plan names environments by id; custom code comes from the command line only. Errors: `usage` for a path of no file; `missing`, `data`. */
function givenModule(env: string | null) {
  if (env !== null && !namesModule(env))
    throw new EmacError(
      'usage',
      `--env ${env}: a run names its own environment; give a custom file, or leave it out`,
    );
  return givenEnvironment(env);
}
