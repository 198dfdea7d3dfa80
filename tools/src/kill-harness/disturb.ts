/** Kills and stops processes until all requested disturbances have happened. */
import { join } from 'node:path';
import { invariant, type Random } from '@emac/core';
import { failpoints } from '@emac/files';
import { differences, verifyVisible } from './compare-runs.ts';
import { activities, runEmac, type Activity, type Ended } from './emac-process.ts';
import { beginOrResume, hasOpenEvaluation, runsIn, type Training } from './training.ts';

export interface Disturbances {
  /** parent folder of all runs */
  readonly folder: string;
  readonly trainings: readonly Training[];
  readonly say: (line: string) => void;
  readonly random: Random;
  /** by SIGKILL, at random moments */
  readonly kills: number;
  /** by SIGTERM, at random moments */
  readonly stops: number;
  readonly tryFailpoints: boolean;
  /** trainings disturbed at the same time */
  readonly jobs: number;
}

/** One process's disturbance. */
interface Blow {
  readonly failpoint?: string;
  readonly signal?: NodeJS.Signals;
  /** at the `count`-th failpoint passed while doing this, and that much later */
  readonly doing?: Activity;
  readonly count?: number;
  readonly delayMs?: number;
}

interface Tally {
  readonly kills: Record<Activity, number>;
  readonly stops: Record<Activity, number>;
  /** failpoints where a process was killed */
  readonly failpoints: Set<string>;
  /** failpoints where a kill was attempted, now or earlier */
  readonly tried: Set<string>;
  readonly trying: Set<string>;
  processes: number;
  runs: number;
}

/** Disturbs until every kill, stop and failpoint has happened; returns the faults found. */
export async function disturb(options: Disturbances): Promise<string[]> {
  const { folder, say, trainings } = options;
  const faults: string[] = [];
  const none = { acting: 0, updating: 0, reflecting: 0, writing: 0, evaluating: 0 };
  const tally: Tally = {
    kills: { ...none },
    stops: { ...none },
    processes: 0,
    runs: 0,
    failpoints: new Set<string>(),
    tried: new Set<string>(),
    trying: new Set<string>(),
  };
  const undisturbed = new Map<Training, string>();
  for (const [place, training] of trainings.entries()) {
    const out = join(folder, `undisturbed-${place}`);
    undisturbed.set(training, out);
    say(`${training.name}, undisturbed: ${await undisturbedRun(training.begin(out))}`);
    if (!training.beginSlowly) continue;
    const other = `${out}-slowly`;
    say(`the same at another speed: ${await undisturbedRun(training.beginSlowly(other))}`);
    faults.push(...compared(out, other));
  }
  const disturbRuns = async () => {
    while (!left(options, tally).isAll && faults.length === 0) {
      const useful = trainings.filter((training) => choices(options, tally, { training }).length > 0);
      const training = useful[tally.runs % useful.length] ?? trainings[0]!;
      const out = join(folder, `disturbed-${tally.runs++}`);
      faults.push(...(await disturbOneRun(options, { tally, out, training })));
      if (faults.length === 0) faults.push(...compared(undisturbed.get(training)!, out));
      say(`${tally.runs} runs: ${told(tally)}`);
    }
  };
  await Promise.all(Array.from({ length: options.jobs }, disturbRuns));
  return faults;
}

/** Its seconds, as words. */
async function undisturbedRun(argv: readonly string[]): Promise<string> {
  const { status, stderr, seconds } = await runEmac(argv);
  invariant(status === 0, `kill harness: the undisturbed run ended with ${status}: ${stderr}`);
  return `${seconds.toFixed(1)} s`;
}

/** Blow upon blow on one training until it is finished. */
async function disturbOneRun(
  options: Disturbances,
  { tally, out, training }: { readonly tally: Tally; readonly out: string; readonly training: Training },
): Promise<string[]> {
  for (;;) {
    const isBeginning = runsIn(out).length === 0;
    const blow = nextBlow(options, tally, { training, isBeginning });
    // an interruption's checkpoint at the same moment is replaced
    if (blow.failpoint?.startsWith('replaced-'))
      await struck(training, out, { signal: 'SIGTERM', doing: 'reflecting' });
    if (blow.failpoint) tally.trying.add(blow.failpoint);
    const ended = await struck(training, out, blow);
    if (blow.failpoint) tally.trying.delete(blow.failpoint);
    tally.processes++;
    for (const run of runsIn(out)) verifyVisible(run);
    count(tally, blow, ended);
    if (ended.status === 0) return [];
    const isExpected = ended.signal === 'SIGKILL' || (blow.signal === 'SIGTERM' && ended.status === 75);
    if (!isExpected)
      return [`${out}: ended with ${ended.status ?? ended.signal}: ${ended.stderr.slice(-600)}`];
  }
}

function struck(training: Training, out: string, blow: Blow): Promise<Ended> {
  const { failpoint, signal, doing, count: wanted = 1, delayMs = 0 } = blow;
  const argv = beginOrResume(training, out);
  const evaluates = () => hasOpenEvaluation(out);
  if (failpoint !== undefined) return runEmac(argv, { evaluates, failpoint: `${failpoint}:${wanted}` });
  let seen = 0;
  return runEmac(argv, {
    evaluates,
    onPoint: (now, kill) => {
      if (signal === undefined || now !== doing || ++seen !== wanted) return;
      setTimeout(() => kill(signal), delayMs);
    },
  });
}

const neverWhereAllStay = new Set<string>(['checkpoint-set-aside', 'checkpoint-removed']);

/** Whether a training passes a failpoint at all. */
function passes({ keep, activities: own }: Training, name: string): boolean {
  if (keep === 'all' && neverWhereAllStay.has(name)) return false;
  // of an evaluation by itself
  if (name === 'result-named') return false;
  if (name.startsWith('replaced-')) return own.includes('reflecting');
  // a probe is measured where games are evaluated one by one
  if (name === 'measuring' || name === 'evaluation-stored') return own.includes('evaluating');
  const activity = activities.find((each) => each === name);
  return activity === undefined || own.includes(activity);
}

/** The remaining disturbances that any training can have; failpoints of a start are only tried there. */
function left({ kills, stops, tryFailpoints, trainings }: Disturbances, tally: Tally) {
  const done = activities.filter((activity) =>
    trainings.some(({ activities: own }) => own.includes(activity)),
  );
  const missing = (counts: Record<Activity, number>, wanted: number) =>
    done.filter((activity) => counts[activity] < Math.ceil(wanted / done.length));
  const passed = failpoints.filter((name) => trainings.some((training) => passes(training, name)));
  const points = tryFailpoints ? passed.filter((name) => !tally.failpoints.has(name)) : [];
  const [atBeginning, later] = [true, false].map((wanted) =>
    points.filter((name) => (name === 'run-prepared' || name === 'run-visible') === wanted),
  );
  const [toKill, toStop] = [missing(tally.kills, kills), missing(tally.stops, stops)];
  const isAll = points.length + toKill.length + toStop.length === 0;
  return { toKill, toStop, atBeginning: atBeginning!, later: later!, isAll };
}

interface Occasion {
  readonly training: Training;
  /** absent: any moment of the training */
  readonly isBeginning?: boolean;
}

/** The next disturbance; none if only those of other trainings remain, so that the run finishes. */
function nextBlow(options: Disturbances, tally: Tally, occasion: Occasion): Blow {
  const possible = choices(options, tally, occasion);
  return possible.length > 0 ? options.random.pick(possible)() : {};
}

/** Ways to choose a blow; the likelier ones several times. */
function choices(
  options: Disturbances,
  tally: Tally,
  { training, isBeginning }: Occasion,
): readonly (() => Blow)[] {
  const { random } = options;
  const { toKill, toStop, atBeginning, later } = left(options, tally);
  const isFree = (name: string) => !tally.trying.has(name) && passes(training, name);
  const [first, free] = [atBeginning.find(isFree), later.filter(isFree)];
  if (isBeginning !== false && first) return [() => ({ failpoint: first })];
  const isDone = (activity: Activity) => training.activities.includes(activity);
  const [kills, stops] = [toKill.filter(isDone), toStop.filter(isDone)];
  const blows: (readonly [number, readonly unknown[], () => Blow])[] = [
    [4, kills, () => at('SIGKILL', random.pick(kills), random)],
    [1, stops, () => at('SIGTERM', random.pick(stops), random)],
    [2, free, () => atFailpoint(random.pick(free), tally, random)],
  ];
  return blows.flatMap(([times, of, choose]) => (of.length > 0 ? Array<() => Blow>(times).fill(choose) : []));
}

/** The first attempt is a little after the failpoint's first pass; some are passed only once. */
function atFailpoint(failpoint: string, { tried }: Tally, random: Random): Blow {
  const isFirst = !tried.has(failpoint);
  tried.add(failpoint);
  return { failpoint, count: isFirst ? 1 + random.integer(3) : 1 };
}

/** How long each thing takes, and how many failpoints are passed in it, in this training. */
const spans: Record<Activity, { readonly ms: number; readonly points: number }> = {
  acting: { ms: 60, points: 30 },
  updating: { ms: 60, points: 6 },
  reflecting: { ms: 50, points: 2 },
  writing: { ms: 4, points: 16 },
  evaluating: { ms: 40, points: 6 },
};

function at(signal: NodeJS.Signals, doing: Activity, random: Random): Blow {
  const { ms, points } = spans[doing];
  return { signal, doing, count: 1 + random.integer(points), delayMs: random.integer(ms) };
}

function count(
  tally: Tally,
  { failpoint, signal }: Blow,
  { status, signal: by, doing, passed }: Ended,
): void {
  if (failpoint !== undefined && by === 'SIGKILL') {
    invariant(
      passed.at(-1) === failpoint,
      `kill harness: the last failpoint must be ${failpoint}, got ${passed.at(-1)}`,
    );
    tally.failpoints.add(failpoint);
  } else if (signal === 'SIGKILL' && by === 'SIGKILL' && doing) tally.kills[doing]++;
  else if (signal === 'SIGTERM' && status === 75 && doing) tally.stops[doing]++;
}

function compared(undisturbed: string, out: string): string[] {
  const [left, right] = [runsIn(undisturbed), runsIn(out)];
  if (left.length !== right.length)
    return [`${out}: has ${right.length} runs, the undisturbed one ${left.length}`];
  return left.flatMap((run, place) => {
    const differing = differences(run, right[place]!);
    return differing.length > 0 ? [`${right[place]}: differs from ${run} in ${differing.join(', ')}`] : [];
  });
}

function told({ kills, stops, failpoints: tried, processes }: Tally): string {
  const sum = (counts: Record<Activity, number>) =>
    `${Object.values(counts).reduce((a, b) => a + b)} (${activities.map((each) => `${counts[each]} ${each}`).join(', ')})`;
  return `${processes} processes, kills ${sum(kills)}, stops ${sum(stops)}, failpoints ${tried.size} of ${failpoints.length}`;
}
