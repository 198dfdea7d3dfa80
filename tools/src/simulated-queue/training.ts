/**
 * A small training over the real trainer's side of a run on workers: each update asks for episodes of a policy version
 * and for a gradient in parts, and its policy follows from all of them in order. So two trainings end in equal policies
 * only if they accepted equal results, in the same order, each once.
 */
import { askedAhead, type Asking } from '@emac/algorithms';
import { sha256 } from '@emac/files';
import type { Json } from '@emac/queue';
import { carried, carry, workedRun, type WorkedRun } from '@emac/workers';
import type { Process } from './process.ts';

export interface TrainingSettings {
  readonly updates: number;
  /** episodes of an update, each a job */
  readonly episodes: number;
  /** parts of a gradient; 0: the trainer computes it */
  readonly shards: number;
  readonly staleness: number;
  /** of an evaluation at the end */
  readonly evaluated: number;
  /** updates from one checkpoint to the next */
  readonly checkpointEvery: number;
  /** ends so many updates early, with episodes requested ahead */
  readonly early: number;
  /** bytes of a result, from 1 */
  readonly bytes: number;
}

/** What a killed trainer finds again. */
export interface Disk {
  readonly run: string;
  /** policies from the oldest that may be asked for to the newest, after `made` updates */
  readonly made: number;
  readonly policies: readonly string[];
  readonly ended: string | null;
}

export function emptyDisk(run: string): Disk {
  return { run, made: 0, policies: ['policy'], ended: null };
}

/** What a job answers: a function of policy, job and the worker's code. */
export function answerOf(policy: string, question: string, code = 'right'): string {
  return sha256(`${policy}, ${question}, ${code}`);
}

/** The policy after an update. */
function learned(policy: string, results: readonly string[]): string {
  return sha256([policy, ...results].join(' '));
}

const questionOf = (part: string, update: number, place: number): string => `${part} ${update} ${place}`;

/** The last policy of a training in one process, without a queue. */
export function expected({
  updates,
  episodes,
  shards,
  staleness,
  evaluated,
  early,
}: TrainingSettings): string {
  const policies = ['policy'];
  const answers = ({ part, update, count, policy }: Asked): string[] =>
    Array.from({ length: count }, (_, place) => answerOf(policy, questionOf(part, update, place)));
  for (let update = 0; update < updates - early; update++) {
    const acting = policies[Math.max(0, update - staleness)]!;
    const newest = policies[update]!;
    const played = answers({ part: 'play', update, count: episodes, policy: acting });
    const parts = answers({ part: 'gradient', update, count: shards, policy: newest });
    policies.push(learned(newest, [...played, ...parts]));
  }
  const last = policies.at(-1)!;
  return learned(last, answers({ part: 'evaluation', update: 0, count: evaluated, policy: last }));
}

/** Trains from what is on the disk; resolves once the run has ended. Errors: those of the queue and the run. */
export async function train(
  process: Process,
  settings: TrainingSettings,
  disk: { now: Disk },
): Promise<void> {
  const queue = await process.open();
  try {
    const run = workedRun({
      workers: { queue, folder: process.folder },
      run: disk.now.run,
      plan: sha256('plan'),
      start: null,
      task: 'task',
      host: { signal: process.stop.signal },
    });
    await trained(run, settings, { disk, say: (what) => process.place.world.say(process.name, what) });
    await run.forget();
  } finally {
    await queue.close();
  }
}

interface Kept {
  readonly disk: { now: Disk };
  readonly say: (what: string) => void;
}

async function trained(run: WorkedRun, settings: TrainingSettings, { disk, say }: Kept): Promise<void> {
  const { updates, episodes, shards, staleness, evaluated, checkpointEvery, early } = settings;
  let { made, policies } = disk.now;
  const policyAt = (update: number): string => policies[update - made + policies.length - 1]!;
  const coming = askedAhead<readonly string[]>({
    versions: { limit: staleness },
    updates,
    made: () => made,
    isChain: false,
    ask: (update, _before, asking) => {
      const policy = policyAt(Math.max(0, update - staleness));
      return answers(run, { part: 'play', update, count: episodes, policy }, asking);
    },
  });
  try {
    while (made < updates - early) {
      const played = await coming.next();
      const policy = policyAt(made);
      const parts = await answers(run, { part: 'gradient', update: made, count: shards, policy });
      policies = [...policies, learned(policy, [...played, ...parts])].slice(-(staleness + 1));
      made++;
      say(`has made update ${made}`);
      if (made % checkpointEvery === 0) disk.now = { ...disk.now, made, policies };
    }
  } finally {
    await coming.stop();
  }
  const last = policyAt(made);
  const scores = await answers(run, { part: 'evaluation', update: 0, count: evaluated, policy: last });
  await run.agreed();
  disk.now = { ...disk.now, made, policies, ended: learned(last, scores) };
}

interface Asked {
  readonly part: 'play' | 'gradient' | 'evaluation';
  readonly update: number;
  readonly count: number;
  readonly policy: string;
}

/** The answers of workers, in the order of the questions. */
async function answers({ folder, results }: WorkedRun, asked: Asked, asking?: Asking): Promise<string[]> {
  const { part, update, count, policy } = asked;
  const jobs = Array.from({ length: count }, (_, shard) => {
    return { seed: update, shard, input: { question: questionOf(part, update, shard) } };
  });
  const version = folder.put(new TextEncoder().encode(JSON.stringify(policy)));
  const isLast = part === 'evaluation';
  const how = { asking, asTheyCome: isLast, update: isLast ? undefined : update };
  const verb = part === 'gradient' ? 'gradient' : 'play';
  const read = (result: Json) => carried<{ readonly answer: string }>(folder, result);
  const found: string[] = [];
  const asks = { verb, part, version, jobs, ...how } as const;
  for await (const [place, each] of results(asks, read)) found[place] = each.answer;
  return found;
}

/** What a worker does with a job: read its policy and question, answer, and carry the answer. */
export async function answerJob(
  process: Process,
  { policy, input }: { readonly policy: string; readonly input: Json },
  { code, bytes }: { readonly code: string; readonly bytes: number },
): Promise<Json> {
  const { folder } = process;
  const { asked } = input as { readonly asked: Json };
  const { question } = await carried<{ readonly question: string }>(folder, asked);
  const acting = await carried<string>(folder, { hash: policy });
  return carry(folder, { answer: answerOf(acting, question, code), rest: 'x'.repeat(bytes) });
}
