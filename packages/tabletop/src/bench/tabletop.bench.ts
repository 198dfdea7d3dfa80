/**
 * Steps and pictures a second of the processor's time, all threads counted, and how often the scripted controller, random play and blind
 * play succeed. Blind play repeats the controller's actions of one initial state in another.
 *
 *   node dist/bench/tabletop.bench.js [--episodes 2000]
 */
import { parseArgs } from 'node:util';
import { Random } from '@emac/core';
import { startsOf, stepLimits, suites, tabletop, tabletopByWords } from '../index.ts';
import type { Action, Start, Suite, Tabletop } from '../index.ts';

const { values } = parseArgs({ options: { episodes: { type: 'string', default: '2000' } } });
const episodes = Number(values.episodes);
const random = Random.fromSeed('bench');
const drawn = (): Action => Array.from({ length: 7 }, () => 2 * random.uniform() - 1);
const print = (name: string, value: string): void =>
  void process.stdout.write(`${name.padEnd(34)} ${value}\n`);

/** Times a second. */
function rate(count: number, act: () => void): string {
  for (let warm = 0; warm < count / 5; warm++) act();
  const before = process.cpuUsage();
  for (let done = 0; done < count; done++) act();
  const { user, system } = process.cpuUsage(before);
  return ((count / (user + system)) * 1e6).toFixed(0);
}

/** Plays until the end; the number of steps to success, else null. */
function played(table: Tabletop, decide: (step: number) => Action): number | null {
  for (let step = 0; ; step++) {
    const { terminated, truncated } = table.step(decide(step));
    if (terminated) return step + 1;
    if (truncated) return null;
  }
}

function summary(results: readonly (number | null)[]): string {
  const won = results.filter((steps) => steps !== null);
  const mean = won.reduce((sum, steps) => sum + steps, 0) / won.length;
  const steps = won.length === 0 ? '' : `, ${mean.toFixed(1)} steps, at most ${Math.max(...won)}`;
  return `${won.length} of ${results.length}${steps}`;
}

function scripted(suite: Suite, scale: 'fast' | 'fine', noise: number): (number | null)[] {
  const table = tabletop(`tabletop/${suite}`, { scale });
  return startsOf('all').map((start) => {
    table.begin(start);
    return played(table, () => table.expert({ noise, random }));
  });
}

function byWords(suite: Suite): (number | null)[] {
  const table = tabletopByWords(`tabletop/${suite}`, { starts: 'counted' });
  return startsOf('all').map((_, seed) => {
    table.reset(seed);
    for (let step = 1; ; step++) {
      const { terminated, truncated } = table.step(table.expert());
      if (terminated || truncated) return terminated ? step : null;
    }
  });
}

function atRandom(suite: Suite): (number | null)[] {
  const table = tabletop(`tabletop/${suite}`);
  return Array.from({ length: episodes }, (_, seed) => {
    table.reset(seed);
    return played(table, drawn);
  });
}

/** One demonstration, then each other state of its task with the same actions. */
function blind(suite: Suite): (number | null)[] {
  const table = tabletop(`tabletop/${suite}`);
  const repeat = (script: readonly Action[], start: Start) => {
    table.begin(start);
    return played(table, (step) => script[step] ?? [0, 0, 0, 0, 0, 0, -1]);
  };
  return startsOf('all').flatMap((start) => {
    if (start.state >= 5) return [];
    const script: Action[] = [];
    table.begin(start);
    played(table, () => script.at(script.push(table.expert()) - 1)!);
    const others = startsOf('held-out').filter(({ task }) => task === start.task);
    return others.map((other) => repeat(script, other));
  });
}

const walker = tabletop('tabletop/spatial');
walker.reset(0);
let taken = 0;
print(
  'random steps a second',
  rate(20_000, () => {
    walker.step(drawn());
    if (++taken % stepLimits.spatial === 0) walker.reset(null);
  }),
);
for (const size of [64, 112, 224, 256]) {
  const table = tabletop('tabletop/object', { size });
  table.reset(0);
  const next = (): void => void (table.step(drawn()).terminated && table.reset(null));
  print(
    `frames a second, ${size}, with a step`,
    rate(600, () => (next(), table.frame())),
  );
  print(
    `the same from the wrist`,
    rate(200, () => (next(), table.wristFrame())),
  );
}
for (const suite of suites) {
  for (const scale of ['fast', 'fine'] as const) {
    print(`${suite}, ${scale}: controller`, summary(scripted(suite, scale, 0)));
    print(`${suite}, ${scale}: with noise 0.3`, summary(scripted(suite, scale, 0.3)));
  }
  print(`${suite}: controller by words`, summary(byWords(suite)));
  print(`${suite}: random play`, summary(atRandom(suite)));
  print(`${suite}: blind play`, summary(blind(suite)));
}
