/**
 * Measures the cost of the wire: steps of version 2 through a real port, played by clients in a separate process, in an
 * environment that does nothing. One client gives the cost of a step, many give the server's capacity; the longest
 * stall of the event loop is printed too.
 *
 *   node tools/dist/bench-wire/main.js [--clients 64] [--steps 10000] [--pictures] [--repetitions 3]
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import { openHttpWorld } from '@emac/bridge';
import type { Environment } from '@emac/core';
import { asked, middleOf, type Turn } from './load.ts';

const { values } = parseArgs({
  options: {
    clients: { type: 'string', default: '64' },
    steps: { type: 'string', default: '10000' },
    pictures: { type: 'boolean', default: false },
    repetitions: { type: 'string', default: '3' },
  },
});

process.stdout.write('| clients | steps a second | median, ms | 99 %, ms | longest stall, ms |\n');
process.stdout.write('| --- | --- | --- | --- | --- |\n');
for (const clients of new Set([1, Number(values.clients)])) {
  const turns: Turn[] = [];
  for (let turn = 0; turn < Number(values.repetitions); turn++) turns.push(await measured(clients));
  const { perSecond, medianMs, p99Ms, stallMs } = middleOf(turns);
  const cells = [perSecond, medianMs, p99Ms, stallMs];
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
  const episodes = await Promise.all(
    environment.tasks.slice(0, clients).map((task) => environment.begin(task, task.id)),
  );
  delays.enable();
  const found = await asked(episodes.length, async (place, timed) => {
    for (let step = 0; step < each; step++) await timed(() => episodes[place]!.step('look'));
  });
  delays.disable();
  await Promise.all(episodes.map((episode) => episode.close()));
  return { ...found, stallMs: delays.max / 1e6 };
}
