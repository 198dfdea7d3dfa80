/**
 * Holds the queue, its workers and the trainer's side of a run against simulated faults, schedule by schedule.
 *
 *   node tools/dist/simulated-queue/main.js [--seeds A..B] [--state FILE]   seeds from A up to and without B; default 0..1000
 *   node tools/dist/simulated-queue/main.js --seed N                        one schedule, with a trace
 *
 * `--state` is a file in which the next seed and the counts are kept: the next call continues. Prints schedules an hour,
 * and for a broken promise its trace and the command that repeats it. Ends with status 2 then.
 */
import { existsSync, readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { writeFileAtomic } from '@emac/files';
import { runSchedule } from './run-schedule.ts';
import { describeFault } from './schedule.ts';
import type { Line } from './world.ts';

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '0..1000' },
    seed: { type: 'string' },
    state: { type: 'string' },
  },
});
const say = (line: string) => process.stdout.write(`${line}\n`);
const command = 'node tools/dist/simulated-queue/main.js';

/** What is known of the seeds so far. */
interface State {
  next: number;
  schedules: number;
  seconds: number;
  runs: number;
  jobs: number;
  restarts: number;
  faults: number;
  failed: number[];
}

async function traced(seed: string): Promise<number> {
  const lines: Line[] = [];
  const { violations, schedule, time, events } = await runSchedule(seed, { lines });
  say(JSON.stringify({ ...schedule, faults: schedule.faults.map(describeFault) }));
  for (const { time, who, what } of lines)
    say(`${(time / 1_000).toFixed(3).padStart(10)} s  ${who}: ${what}`);
  say(`seed ${seed}: ${(time / 1_000).toFixed(1)} s, ${events} events`);
  for (const violation of violations) say(`BROKEN ${violation}`);
  return violations.length;
}

async function searched(seeds: string, file: string | undefined): Promise<number> {
  const [first = 0, end = 0] = seeds.split('..').map(Number);
  const fresh: State = {
    next: first,
    schedules: 0,
    seconds: 0,
    runs: 0,
    jobs: 0,
    restarts: 0,
    faults: 0,
    failed: [],
  };
  const state =
    file !== undefined && existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as State) : fresh;
  const keep = () => file !== undefined && writeFileAtomic(file, `${JSON.stringify(state)}\n`);
  while (state.next < end) {
    const begun = performance.now();
    const { violations, runs, jobs, restarts, schedule } = await runSchedule(state.next);
    if (violations.length > 0) {
      await traced(String(state.next));
      say(`repeat it with ${command} --seed ${state.next}`);
      state.failed.push(state.next);
    }
    state.schedules++;
    state.seconds += (performance.now() - begun) / 1_000;
    state.runs += runs;
    state.jobs += jobs;
    state.restarts += restarts;
    state.faults += schedule.faults.length;
    state.next++;
    if (state.next % 500 === 0) keep();
  }
  keep();
  const hourly = Math.round((3_600 * state.schedules) / state.seconds);
  say(
    `${state.schedules} schedules (${hourly} an hour), ${state.faults} faults, ${state.jobs} jobs done ${state.runs} times, ${state.restarts} restarts of the trainer: ${state.failed.length} broke a promise${state.failed.length > 0 ? ` (seeds ${state.failed.join(', ')})` : ''}`,
  );
  return state.failed.length;
}

const broken =
  values.seed === undefined ? await searched(values.seeds, values.state) : await traced(values.seed);
process.exitCode = broken === 0 ? 0 : 2;
