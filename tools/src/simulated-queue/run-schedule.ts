/** Runs the schedule of a seed and checks what the queue promises. */
import { queueLimits } from '@emac/queue/parts';
import { commitFault } from './commit-fault.ts';
import { Fleet } from './fleet.ts';
import type { Place } from './process.ts';
import type { Sabotage } from './sabotage.ts';
import { drawSchedule, type Schedule } from './schedule.ts';
import { Server } from './server.ts';
import { expected } from './training.ts';
import { World, type Line } from './world.ts';

export interface Verdict {
  /** promises that were broken; none if all is well */
  readonly violations: readonly string[];
  readonly schedule: Schedule;
  /** handlers begun, and jobs they were for */
  readonly runs: number;
  readonly jobs: number;
  readonly restarts: number;
  /** of the simulation */
  readonly events: number;
  /** virtual milliseconds */
  readonly time: number;
}

export interface RunOptions {
  readonly sabotage?: Sabotage | null;
  /** receives what happens */
  readonly lines?: Line[] | null;
  /** in place of the drawn one */
  readonly schedule?: Schedule;
}

export async function runSchedule(seed: number | string, options: RunOptions = {}): Promise<Verdict> {
  const { sabotage = null, lines = null } = options;
  const world = new World(`simulated queue ${seed}`, lines);
  const schedule = options.schedule ?? drawSchedule(world);
  const { leaseMs, bound, patienceMs, filesLateMs } = schedule;
  const server = new Server(world, sabotage);
  const place: Place = {
    world,
    server,
    files: new Map(),
    limits: queueLimits({ leaseMs, bound }),
    patienceMs,
    filesLateMs,
    sabotage,
  };
  const fleet = new Fleet(place, schedule);
  const unhandled = (thrown: unknown): void => void fleet.violations.push(`nobody handles ${String(thrown)}`);
  process.on('unhandledRejection', unhandled);
  try {
    await lived(fleet);
  } catch (thrown) {
    fleet.violations.push(
      `the simulation failed: ${thrown instanceof Error ? thrown.stack : String(thrown)}`,
    );
  } finally {
    process.off('unhandledRejection', unhandled);
  }
  const runs = [...fleet.runs.values()];
  return {
    violations: fleet.violations,
    schedule,
    runs: runs.reduce((sum, each) => sum + each, 0),
    jobs: runs.length,
    restarts: fleet.restarts,
    events: world.events,
    time: world.now,
  };
}

async function lived(fleet: Fleet): Promise<void> {
  const { schedule, place, violations } = fleet;
  const { world, server } = place;
  const { faults, faultsEnd, trainers, workers, training, leaseMs, jobMs } = schedule;
  for (const fault of faults)
    world.at(fault.time, null, () => {
      if (!fleet.isTrained) commitFault(fleet, fault);
    });
  for (let number = 0; number < trainers; number++) fleet.start(`trainer ${number}`, 'trainer');
  for (let number = 0; number < workers; number++) fleet.start(`worker ${number}`, 'worker');

  const jobs = trainers * training.updates * (training.episodes + training.shards) + training.evaluated;
  const fair = 5 * jobs * jobMs[1] + 20 * leaseMs + 600_000;
  const isBroken = (): boolean => violations.length > 0;
  const isTrained = (): boolean => isBroken() || fleet.isTrained;
  if (!(await world.run(faultsEnd + fair, isTrained)))
    violations.push(`the training has not ended ${fair / 1_000} s after the last fault`);
  if (isBroken()) return;
  for (const [name, { now }] of fleet.disks)
    if (now.ended !== expected(training))
      violations.push(`the policy of ${name} differs from that of one undisturbed process`);

  const line = (): number => server.scripts.list('wait').length + server.scripts.list('active').length;
  await world.run(Math.max(world.now, faultsEnd), isBroken);
  if (!(await world.run(world.now + fair, () => isBroken() || line() === 0)))
    violations.push(`${line()} jobs are still in the queue ${fair / 1_000} s after the training`);
  fleet.close();
  const ending = 2 * jobMs[1] + 60_000;
  if (!(await world.run(world.now + ending, () => isBroken() || fleet.isEmpty)))
    violations.push(`workers were told to end, and had not after ${ending / 1_000} s`);
  checkRuns(fleet);
}

/** No job is done, and no result counted, more often than faults can explain. */
function checkRuns({ runs, counted, schedule, failures, violations, place }: Fleet): void {
  const { faults } = schedule;
  const most = 1 + 2 * faults.length + failures;
  const lost = faults.filter(({ what, forgets }) => what === 'kill Redis' && forgets > 0).length;
  for (const [job, times] of counted)
    if (times > 1 + lost) violations.push(`${job} counted ${times} times, Redis has forgotten ${lost} times`);
  for (const [job, times] of runs)
    if (times > most) violations.push(`${job} was done ${times} times, with ${faults.length} faults`);
  const kept = place.server
    .keys(false)
    .names()
    .filter((key) => /:(results|poisoned|conflicts):/.test(key));
  if (faults.length === 0 && failures === 0 && kept.length > 0)
    violations.push(`the run left ${kept.join(', ')}`);
}
