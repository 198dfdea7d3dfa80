/** A worker: does the jobs of any run on the queue; when stopped, it finishes the current job. */
import { EmacError } from '@emac/core';
import type { Host, Workers } from '@emac/opening';
import { runWorker, type Handler, type Json, type WorkerIdentity, type WorkerSummary } from '@emac/queue';
import { programVersions } from '@emac/settings';
import type { JobInput } from './jobs/worked-run.ts';
import { carried, carry } from './plan/carried.ts';
import { storeGradient } from './plan/gradient-file.ts';
import { openPlan, type Planned } from './plan/plan.ts';
import type { Openers, Player, Players } from './plan/player.ts';
import { readRows } from './plan/rows-file.ts';
import { attemptsPlayer } from './working/attempts-player.ts';
import { recordsPlayer } from './working/records-player.ts';
import { stepsPlayer } from './working/steps-player.ts';

export interface WorkOptions extends Workers {
  readonly identity: Omit<WorkerIdentity, 'versions'>;
  readonly host: Pick<Host, 'env' | 'now' | 'signal' | 'environment' | 'memory'>;
  /** path of the model on this machine; default: the run's path */
  readonly model?: string | null | undefined;
  /** called for every finished job, with a description */
  readonly did?: ((job: string) => void) | undefined;
}

/**
 * Works until the signal fires; `players` open the methods' policies. Errors: those of `runWorker`; `config` if this
 * machine cannot meet a run's requirements.
 */
export async function workWith(players: Players, options: WorkOptions): Promise<WorkerSummary> {
  const { queue, identity, host } = options;
  const bench = benchOf(players, options);
  try {
    return await runWorker({
      queue,
      handlers: handlersOf(bench, options),
      identity: { ...identity, versions: programVersions() },
      signal: host.signal,
    });
  } finally {
    await bench.close();
  }
}

/** The two kinds of jobs. */
function handlersOf({ playerOf }: Bench, { folder, did = () => {} }: WorkOptions) {
  const play: Handler = async ({ name, input }, context) => {
    const { asked, ...planned } = inputOf(input);
    const player = await playerOf(planned);
    const result = await player.play(await carried(folder, asked), { ...context, version: name.policy });
    did(`played ${name.run} ${name.task}, number ${name.seed}, part ${name.shard}`);
    return carry(folder, result);
  };
  const gradient: Handler = async ({ name, input }) => {
    const { asked, ...planned } = inputOf(input);
    const player = await playerOf(planned);
    const rows = await readRows(folder, await carried<string>(folder, asked));
    const hash = storeGradient(folder, await player.gradient(name.policy, rows));
    const [task, policy] = [name.task.slice(0, 12), name.policy.slice(0, 12)];
    did(`computed ${name.run} shard ${name.shard}, rows ${task}, policy ${policy}`);
    return carry(folder, hash);
  };
  return { play, gradient };
}

/** Errors: `data`, which counts against the job and not against this worker. */
function inputOf(input: Json): JobInput {
  const { plan, start, asked } = (input ?? {}) as Partial<JobInput>;
  const isHash = (text: unknown): text is string => typeof text === 'string' && /^[0-9a-f]{64}$/.test(text);
  if (!isHash(plan) || (start !== null && !isHash(start)) || asked === undefined)
    throw new EmacError('data', 'worker: the job has no plan; the queue was changed by another program');
  return { plan, start, asked };
}

interface Bench {
  /** The player of a plan; closes that of another, since models are large. Errors: as `openPlan`. */
  playerOf(planned: Planned): Promise<Player>;
  close(): Promise<void>;
}

function benchOf(players: Players, { folder, host, model = null }: WorkOptions): Bench {
  const openers: Openers = {
    attempts: attemptsPlayer,
    steps: (opening) => stepsPlayer(players, opening),
    records: (opening) => recordsPlayer(players, opening),
  };
  let current: { readonly name: string; readonly player: Player } | null = null;
  const close = async (): Promise<void> => {
    const before = current;
    current = null;
    await before?.player.dispose();
  };
  return {
    close,
    async playerOf(planned) {
      const name = `${planned.plan} ${planned.start}`;
      if (current?.name === name) return current.player;
      await close();
      const player = await openPlan(planned, openers, { folder, host, model });
      current = { name, player };
      return player;
    },
  };
}
