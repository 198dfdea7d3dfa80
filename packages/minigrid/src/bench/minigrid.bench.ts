/**
 * Steps per second of random walks, with and without frames, beside the published Python package if an interpreter with
 * it is named; both alternate. Seconds of processor time, all threads, since other programs may run in between.
 *
 *   node dist/bench/minigrid.bench.js [--against-python PYTHON] [--turns 5] [--json]
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Random } from '@emac/core';
import { actionWords, miniGrid } from '../minigrid.ts';

const { values } = parseArgs({
  options: {
    'against-python': { type: 'string' },
    turns: { type: 'string', default: '5' },
    json: { type: 'boolean', default: false },
  },
});
const python = values['against-python'];
const script = fileURLToPath(new URL('../../../../tools/reference/minigrid_reference.py', import.meta.url));
const ids = [
  'MiniGrid-Empty-Random-6x6-v0',
  'MiniGrid-DoorKey-6x6-v0',
  'MiniGrid-DoorKey-16x16-v0',
  'MiniGrid-MultiRoom-N6-v0',
  'MiniGrid-Dynamic-Obstacles-8x8-v0',
];

interface Request {
  readonly id: string;
  readonly frames: boolean;
}

/** Takes steps, each with its observation, and begins the next level after each end; returns steps a second. */
function ours({ id, frames }: Request): number {
  const environment = miniGrid(id);
  environment.reset(0);
  const random = Random.fromSeed(0);
  const count = frames ? 4000 : 200_000;
  const actions = Array.from({ length: count }, () => random.integer(actionWords.length));
  const walk = (steps: number) => {
    for (let step = 0; step < steps; step++) {
      const { terminated, truncated } = environment.step(actions[step]!);
      environment.observe();
      if (frames) environment.frame();
      if (terminated || truncated) environment.reset(null);
    }
  };
  walk(count / 10);
  const start = process.cpuUsage();
  walk(count);
  const { user, system } = process.cpuUsage(start);
  return (count / (user + system)) * 1e6;
}

function theirs({ id, frames }: Request): number {
  const count = frames ? 300 : 3000;
  const input = JSON.stringify({ id, frames, bench: count });
  const { status, stdout, stderr } = spawnSync(python!, [script], { input, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${python}: ${stderr}`);
  return count / (JSON.parse(stdout) as { seconds: number }).seconds;
}

function median(numbers: readonly number[]): number {
  return [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)]!;
}

const rows = ids.flatMap((id) =>
  [false, true].map((frames) => {
    const request = { id, frames };
    const turns = Array.from({ length: Number(values.turns) }, () => ({
      own: ours(request),
      python: python === undefined ? null : theirs(request),
    }));
    const own = median(turns.map((turn) => turn.own));
    const published = python === undefined ? null : median(turns.map((turn) => turn.python!));
    return { id, frames, own, python: published, times: published === null ? null : own / published };
  }),
);

function table(): string {
  const number = (value: number | null, digits = 0) => (value === null ? '–' : value.toFixed(digits));
  const lines = rows.map(
    ({ id, frames, own, python: published, times }) =>
      `| ${id}${frames ? ', frames' : ''} | ${number(own)} | ${number(published)} | ${number(times, 1)} |`,
  );
  return ['| steps a second | here | Python | times |', '| --- | --- | --- | --- |', ...lines].join('\n');
}

process.stdout.write(`${values.json ? JSON.stringify(rows) : table()}\n`);
