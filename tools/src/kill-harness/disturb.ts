/** The disturbances: which process is killed when, until all that was asked for has happened. */
import { join } from 'node:path';
import { invariant, type Random } from '@emac/core';
import { failpoints } from '@emac/files';
import { differences, verifyVisible } from './compare-runs.ts';
import { activities, runEmac, type Activity, type Ended } from './emac-process.ts';
import type { LanguageServer } from './language-server.ts';
import { begin, beginOrResume, runsIn } from './training.ts';

export interface Disturbances {
  /** where all runs are made */
  readonly folder: string;
  readonly server: LanguageServer;
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

/** What one process is to suffer. */
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
  /** at which a process was killed */
  readonly failpoints: Set<string>;
  /** at which that was tried, by now or before */
  readonly tried: Set<string>;
  readonly trying: Set<string>;
  processes: number;
  runs: number;
}

/** Disturbs until every kill, stop and failpoint has happened; returns what was wrong. */
export async function disturb(options: Disturbances): Promise<string[]> {
  const { say, folder } = options;
  const faults: string[] = [];
  const none = { acting: 0, updating: 0, reflecting: 0, writing: 0 };
  const tally: Tally = {
    kills: { ...none },
    stops: { ...none },
    processes: 0,
    runs: 0,
    failpoints: new Set<string>(),
    tried: new Set<string>(),
    trying: new Set<string>(),
  };
  const undisturbed = new Map<string, string>();
  for (const keep of ['all', '2']) {
    undisturbed.set(keep, join(folder, `undisturbed-${keep}`));
    const { status, stderr, seconds } = await runEmac(begin(undisturbed.get(keep)!, options.server, keep));
    invariant(status === 0, `kill harness: the undisturbed run ended with ${status}: ${stderr}`);
    say(`undisturbed, --keep ${keep}: ${seconds.toFixed(1)} s`);
  }
  const disturbRuns = async () => {
    while (!left(options, tally).isAll && faults.length === 0) {
      const keep = tally.runs % 2 === 0 ? '2' : 'all';
      const out = join(folder, `disturbed-${tally.runs++}`);
      faults.push(...(await disturbOneRun(options, { tally, out, keep })));
      if (faults.length === 0) faults.push(...compared(undisturbed.get(keep)!, out));
      say(`${tally.runs} runs: ${told(tally)}`);
    }
  };
  await Promise.all(Array.from({ length: options.jobs }, disturbRuns));
  return faults;
}

/** Blow upon blow on one training until it is finished. */
async function disturbOneRun(
  options: Disturbances,
  { tally, out, keep }: { readonly tally: Tally; readonly out: string; readonly keep: string },
): Promise<string[]> {
  for (;;) {
    const blow = nextBlow(options, tally, { isBeginning: runsIn(out).length === 0, keep });
    // a checkpoint is replaced where an interruption has made one at the same moment
    if (blow.failpoint?.startsWith('replaced-'))
      await struck(beginOrResume(out, options.server, keep), { signal: 'SIGTERM', doing: 'reflecting' });
    if (blow.failpoint) tally.trying.add(blow.failpoint);
    const ended = await struck(beginOrResume(out, options.server, keep), blow);
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

function struck(argv: readonly string[], blow: Blow): Promise<Ended> {
  const { failpoint, signal, doing, count: wanted = 1, delayMs = 0 } = blow;
  if (failpoint !== undefined) return runEmac(argv, { failpoint: `${failpoint}:${wanted}` });
  let seen = 0;
  return runEmac(argv, {
    onPoint: (now, kill) => {
      if (signal === undefined || now !== doing || ++seen !== wanted) return;
      setTimeout(() => kill(signal), delayMs);
    },
  });
}

const neverWhereAllStay = new Set<string>(['checkpoint-set-aside', 'checkpoint-removed']);

/** What is still to be done; failpoints of a beginning are tried only there. */
function left({ kills, stops, tryFailpoints }: Disturbances, tally: Tally) {
  const missing = (counts: Record<Activity, number>, wanted: number) =>
    activities.filter((activity) => counts[activity] < Math.ceil(wanted / activities.length));
  const points = tryFailpoints ? failpoints.filter((name) => !tally.failpoints.has(name)) : [];
  const [atBeginning, later] = [true, false].map((wanted) =>
    points.filter((name) => (name === 'run-prepared' || name === 'run-visible') === wanted),
  );
  const [toKill, toStop] = [missing(tally.kills, kills), missing(tally.stops, stops)];
  const isAll = points.length + toKill.length + toStop.length === 0;
  return { toKill, toStop, atBeginning: atBeginning!, later: later!, isAll };
}

/** The next blow; none where only what is tried elsewhere is left, so that the run comes to its end. */
function nextBlow(
  options: Disturbances,
  tally: Tally,
  { isBeginning, keep }: { readonly isBeginning: boolean; readonly keep: string },
): Blow {
  const { toKill, toStop, atBeginning, later } = left(options, tally);
  const { random } = options;
  const isFree = (name: string) =>
    !tally.trying.has(name) && !(keep === 'all' && neverWhereAllStay.has(name));
  const [first, free] = [atBeginning.find(isFree), later.filter(isFree)];
  if (isBeginning && first) return { failpoint: first };
  const choices: (() => Blow)[] = [
    ...(toKill.length > 0 ? Array<() => Blow>(4).fill(() => at('SIGKILL', random.pick(toKill), random)) : []),
    ...(toStop.length > 0 ? [() => at('SIGTERM', random.pick(toStop), random)] : []),
    ...(free.length > 0
      ? Array<() => Blow>(2).fill(() => atFailpoint(random.pick(free), tally, random))
      : []),
  ];
  return choices.length > 0 ? random.pick(choices)() : {};
}

/** The first try comes a little later than the first time it is passed; some are passed once only. */
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
      `kill harness: ${failpoint} was not the last, but ${passed.at(-1)}`,
    );
    tally.failpoints.add(failpoint);
  } else if (signal === 'SIGKILL' && by === 'SIGKILL' && doing) tally.kills[doing]++;
  else if (signal === 'SIGTERM' && status === 75 && doing) tally.stops[doing]++;
}

function compared(undisturbed: string, out: string): string[] {
  const [left, right] = [runsIn(undisturbed), runsIn(out)];
  if (left.length !== right.length) return [`${out}: has ${right.length} runs, undisturbed ${left.length}`];
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
