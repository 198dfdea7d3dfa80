/**
 * What the wire costs: steps of version 2 through a real port, played by clients in a process of their own, of an environment that
 * does nothing. One client says what a step costs, many what the server bears; the longest time for which its event loop heard
 * nothing is told beside it.
 *
 *   node tools/dist/bench-wire/main.js [--clients 64] [--steps 10000] [--pictures] [--repetitions 3]
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import { openHttpWorld } from '@emac/bridge';
import type { Environment } from '@emac/core';

const { values } = parseArgs({
  options: {
    clients: { type: 'string', default: '64' },
    steps: { type: 'string', default: '10000' },
    pictures: { type: 'boolean', default: false },
    repetitions: { type: 'string', default: '3' },
  },
});

interface Turn {
  readonly stepsPerSecond: number;
  readonly medianMs: number;
  readonly p99Ms: number;
  readonly stallMs: number;
}

process.stdout.write('| clients | steps a second | median, ms | 99 %, ms | longest stall, ms |\n');
process.stdout.write('| --- | --- | --- | --- | --- |\n');
for (const clients of new Set([1, Number(values.clients)])) {
  const turns: Turn[] = [];
  for (let turn = 0; turn < Number(values.repetitions); turn++) turns.push(await measured(clients));
  const middle = (of: (turn: Turn) => number) => turns.map(of).sort((a, b) => a - b)[turns.length >> 1]!;
  const stall = Math.max(...turns.map(({ stallMs }) => stallMs));
  const cells = [middle((turn) => turn.stepsPerSecond), middle((turn) => turn.medianMs)];
  cells.push(
    middle((turn) => turn.p99Ms),
    stall,
  );
  process.stdout.write(`| ${clients} | ${cells.map((cell) => cell.toFixed(1)).join(' | ')} |\n`);
}

async function measured(clients: number): Promise<Turn> {
  const world = await openHttpWorld({ port: 0, clients });
  const played = fork(new URL('clients.js', import.meta.url), [
    world.address,
    String(clients),
    String(values.pictures),
  ]);
  try {
    const connected = await world.connected();
    if (connected.wire !== 'version 2') throw new Error('these clients speak version 2');
    const { games: tasks } = connected;
    return await stepped(world.environment({ tasks, count: 0, pictures: values.pictures }), clients);
  } finally {
    await world.close();
    if (played.exitCode === null) await once(played, 'exit');
  }
}

async function stepped(environment: Environment, clients: number): Promise<Turn> {
  const each = Math.ceil(Number(values.steps) / clients);
  const delays = monitorEventLoopDelay({ resolution: 5 });
  const times: number[] = [];
  const episodes = await Promise.all(
    environment.tasks.slice(0, clients).map((task) => environment.begin(task, task.id)),
  );
  delays.enable();
  const since = performance.now();
  await Promise.all(
    episodes.map(async (episode) => {
      for (let step = 0; step < each; step++) {
        const asked = performance.now();
        await episode.step('look');
        times.push(performance.now() - asked);
      }
    }),
  );
  const seconds = (performance.now() - since) / 1000;
  delays.disable();
  await Promise.all(episodes.map((episode) => episode.close()));
  times.sort((one, other) => one - other);
  return {
    stepsPerSecond: times.length / seconds,
    medianMs: times[times.length >> 1]!,
    p99Ms: times[Math.floor(times.length * 0.99)]!,
    stallMs: delays.max / 1e6,
  };
}
