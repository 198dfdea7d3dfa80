/** `emac worker`: plays episodes and steps, answers prompts, and computes gradients for runs, evaluations and collections started elsewhere with `--queue`. */
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { EmacError } from '@emac/core';
import { work } from '@emac/experiment';
import { limitedHost, type Host } from '@emac/opening';
import { givenEnvironment, namesModule } from '../options/given-code.ts';
import { memoryOption, underMemory } from '../options/memory-option.ts';
import { openWorkers, sharedHelp } from '../options/queue-options.ts';
import { integer, requiredText, text, type Values } from '../options/option.ts';
import { counted } from '../terminal/amounts.ts';
import { quietOption } from '../options/quiet-option.ts';
import { hostOf } from '../terminal/host.ts';
import { say, type Io } from '../terminal/io.ts';
import { command } from '../calling/command.ts';

const options = {
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
  ...memoryOption,
  ...quietOption,
};

export const workerCommand = command({
  options,
  run: async (values, _words, io) => {
    const code = await givenModule(values.env);
    const said = (line: string): void => void (values.quiet || say(io.stderr, line));
    const interrupted = io.catchInterruption('the current job');
    await underMemory(values, said, async (memory) => {
      const host = limitedHost({ ...hostOf(io, interrupted, { quiet: true }), ...code }, memory);
      await worked(values, host, { io, said });
      // it left after its job, for a process that holds less
      if (memory?.fault) throw memory.fault;
    });
    return 0;
  },
});

interface Saying {
  readonly io: Io;
  readonly said: (line: string) => void;
}

/** Works until the host's signal fires. Errors: `usage` without a queue; those of `work`. */
async function worked(
  { queue, shared, model, 'lease-seconds': seconds }: Values<typeof options>,
  host: Host,
  { io, said }: Saying,
): Promise<void> {
  const settings = { leaseMs: 1000 * seconds, signal: host.signal };
  const { workers, close } = await openWorkers({ queue, shared }, io, settings);
  try {
    if (!workers)
      throw new EmacError(
        'usage',
        `--queue ${queue}: a worker needs a queue that others reach; give redis://HOST:PORT`,
      );
    // containers may share a host name and process ids
    const id = `${hostname()}-${process.pid}-${randomBytes(2).toString('hex')}`;
    said(`worker ${id}: waits for jobs; SIGTERM or Ctrl-C ends it after the current job`);
    const done = await work({
      ...workers,
      identity: { id, host: hostname(), pid: process.pid },
      host,
      model,
      did: said,
    });
    say(io.stdout, `worker ${id}: ${counted(done.counted, 'job')} counted`);
  } finally {
    await close();
  }
}

/** A run's plan names environments by id; custom code comes from the command line only. Errors: `usage` for a path of no file; `missing`, `data`. */
function givenModule(env: string | null) {
  if (env !== null && !namesModule(env))
    throw new EmacError(
      'usage',
      `--env ${env}: a run names its own environment; give a custom file, or leave it out`,
    );
  return givenEnvironment(env);
}
