/** A schedule: settings, a training and the faults that meet it, all drawn from one seed. */
import type { TrainingSettings } from './training.ts';
import type { World } from './world.ts';

export const faultKinds = [
  'kill worker',
  'freeze worker',
  'stop worker',
  'stop all workers',
  'fill disk',
  'start worker of another version',
  'kill trainer',
  'freeze trainer',
  'stop trainer',
  'cut connections',
  'cut off',
  'slow network',
  'kill Redis',
  'jump clock of Redis',
] as const;

export interface Fault {
  readonly what: (typeof faultKinds)[number];
  /** moment, in milliseconds */
  readonly time: number;
  /** how long it lasts, in milliseconds; of a clock: how far it jumps */
  readonly length: number;
  /** chooses the process */
  readonly which: number;
  /** milliseconds that Redis forgets; Infinity: all */
  readonly forgets: number;
}

export interface Schedule {
  readonly training: TrainingSettings;
  /** at the same queue, with the same training under other names */
  readonly trainers: number;
  readonly workers: number;
  readonly leaseMs: number;
  readonly bound: number;
  readonly patienceMs: number;
  readonly filesLateMs: number;
  /** milliseconds of a job, from and to */
  readonly jobMs: readonly [least: number, most: number];
  /** of a job that computes without a pause */
  readonly blocks: number;
  /** of a job that fails, while there are faults */
  readonly fails: number;
  /** jobs end once their lease is lost */
  readonly heeds: boolean;
  readonly faults: readonly Fault[];
  /** no fault begins or lasts after it */
  readonly faultsEnd: number;
}

export function drawSchedule(world: World): Schedule {
  const { random } = world;
  const whole = (least: number, most: number): number => least + random.integer(most - least + 1);
  const leaseMs = random.pick([1_000, 3_000, 10_000, 30_000]);
  const [updates, episodes] = [whole(1, 5), whole(1, 6)];
  const training: TrainingSettings = {
    updates,
    episodes,
    shards: random.pick([0, 0, 2, 3]),
    staleness: random.pick([0, 0, 1, 2]),
    evaluated: random.pick([0, 2, 4]),
    checkpointEvery: whole(1, 3),
    early: updates > 1 && world.chance(0.2) ? 1 : 0,
    bytes: random.pick([1, 1, 9_000]),
  };
  const trainers = world.chance(0.2) ? 2 : 1;
  const workers = whole(1, 4);
  const longest = leaseMs * random.pick([0.1, 0.3, 1, 2.5]);
  // about what an undisturbed training takes
  const around = (longest * (updates * (episodes + 2) + 4) * trainers) / workers + 1_000;
  const faultsEnd = around * world.between(0.2, 1.2);
  const count = world.chance(0.08) ? 0 : whole(1, 12);
  return {
    training,
    trainers,
    workers,
    leaseMs,
    bound: random.pick([1, 2, 4, 1_000]),
    patienceMs: random.pick([4_000, 30_000, 300_000]),
    filesLateMs: random.pick([0, 0, 500, 2_500]),
    jobMs: [longest * random.pick([0.01, 0.5, 1]), longest],
    blocks: random.pick([0, 0.3]),
    fails: count > 0 ? random.pick([0, 0, 0.02, 0.15]) : 0,
    heeds: world.chance(0.5),
    faults: drawFaults(world, { leaseMs, faultsEnd, count }),
    faultsEnd,
  };
}

interface FaultsOf {
  readonly leaseMs: number;
  readonly faultsEnd: number;
  readonly count: number;
}

/** Faults of a few kinds, often close together: so rare meetings are not rare. */
function drawFaults(world: World, { leaseMs, faultsEnd, count }: FaultsOf): Fault[] {
  const { random } = world;
  const kinds = Array.from({ length: 1 + random.integer(5) }, () => random.pick(faultKinds));
  const isCrowded = world.chance(0.5);
  let moment = 0;
  return Array.from({ length: count }, () => {
    const isNear = isCrowded && world.chance(0.6);
    const time = Math.min(faultsEnd, isNear ? moment + world.between(0, 200) : world.between(0, faultsEnd));
    moment = time;
    return {
      what: random.pick(kinds),
      time,
      length: Math.min(leaseMs * random.pick([0.1, 0.9, 1.2, 3]), faultsEnd - time),
      which: random.uint32(),
      forgets: random.pick([0, 0, 1_000, 2_000, Infinity]),
    };
  });
}

/** In words, for a trace. */
export function describeFault({ what, length, forgets }: Fault): string {
  const lasts = `${what}, ${(length / 1_000).toFixed(2)} s`;
  if (what !== 'kill Redis') return lasts;
  return `${lasts}, forgetting ${forgets === Infinity ? 'all' : `${forgets / 1_000} s`}`;
}
