/** The stage of a gathering in virtual time. */
import { pause, runWorker } from '@emac/queue';
import { queueLimits } from '@emac/queue/parts';
import { Process, type Place } from '../process.ts';
import { Server } from '../server.ts';
import { World } from '../world.ts';
import { squared, workers, type GatheringSchedule, type Stage } from './gathering.ts';

/** milliseconds until a killed worker's successor, or Redis, is there */
const againMs = 300;

/** Runs `act` there, event by event. */
export async function onSimulatedStage<T>(
  { seed, leaseMs, jobMs, bound }: GatheringSchedule,
  act: (stage: Stage) => Promise<T>,
): Promise<T> {
  const world = new World(`stage ${seed}`, null);
  const server = new Server(world, null);
  const place: Place = {
    world,
    server,
    files: new Map(),
    limits: queueLimits({ leaseMs, bound, losses: 100 }),
    patienceMs: 300_000,
    filesLateMs: 0,
    sabotage: null,
  };
  const trainer = new Process(place, 'trainer');
  const crew: Process[] = [];
  let [begun, count] = [0, 0];
  const hire = (): void => {
    const process = new Process(place, `worker ${++count}`);
    crew.push(process);
    const square = async (job: Parameters<typeof squared>[0]) => {
      begun++;
      await pause(process.main, jobMs);
      return squared(job);
    };
    const identity = { id: process.name, host: 'simulated', pid: 1, versions: {} };
    const work = async (): Promise<void> => {
      const queue = await process.open();
      await runWorker({ queue, identity, handlers: { square }, signal: process.stop.signal });
    };
    // a worker that finds no Redis is started again
    work().catch(() => {
      crew.splice(crew.indexOf(process), 1);
      process.kill();
      world.at(world.now + againMs, null, hire);
    });
  };
  const until = async (question: () => Promise<boolean>): Promise<void> => {
    while (!(await question()))
      await pause({ after: (ms, action) => world.at(world.now + ms, null, action) }, 5);
  };
  const work = async (): Promise<T> => {
    for (let worker = 0; worker < workers; worker++) hire();
    const queue = await trainer.open();
    return act({
      queue,
      until,
      begun: () => begun,
      end: async () => {},
      async commit({ what, length }) {
        if (what === 'cut trainer') return trainer.cut();
        if (what === 'kill Redis') {
          server.crash(0);
          return void world.at(world.now + againMs, null, () => (server.isDown = false));
        }
        const worker = crew.shift();
        if (!worker) return;
        if (what === 'kill worker') {
          worker.kill();
          return void world.at(world.now + againMs, null, hire);
        }
        crew.push(worker);
        if (what === 'cut worker') worker.cut();
        else worker.freeze(length);
      },
    });
  };
  let isOver = false;
  const worked = work().finally(() => (isOver = true));
  worked.catch(() => {});
  await world.run(3_600_000, () => isOver);
  if (!isOver) throw new Error('the gathering has not ended in an hour');
  return worked;
}
