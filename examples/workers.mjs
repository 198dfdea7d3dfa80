/**
 * Workers play the episodes of a run. They and the trainer share a queue and a folder: here two workers and the trainer are in one
 * process; with `bullQueue('redis://HOST:6379')` of @emac/queue in place of `localQueue` they are on different machines.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { learn, work } from '@emac/experiment';
import { plainHost } from '@emac/opening';
import { localQueue, sharedFolder, timerClock } from '@emac/queue';

const workers = {
  queue: localQueue({ clock: timerClock(() => performance.now()) }),
  folder: sharedFolder('runs/workers-shared'),
};
const end = new AbortController();
const working = ['first', 'second'].map((id, pid) =>
  work({ ...workers, identity: { id, host: 'here', pid }, host: plainHost({ signal: end.signal }) }),
);

const call = (folder) => ({
  environment: 'alfworld',
  method: 'bc',
  settings: {
    play: { rounds: 1, gamesPerRound: 4, episodesPerUpdate: 4, maxSteps: 20 },
    speech: { beams: 1 },
    evaluation: { episodes: 4 },
  },
  folder,
});
const run = await learn(call('runs/workers'), { ...plainHost(), workers });
end.abort();
const jobs = (await Promise.all(working)).map(({ counted }) => counted);
console.log(`every job was done by one of ${jobs.length} workers`);

const alone = await learn(call('runs/without-workers'));
const metrics = ({ folder }) => readFileSync(join(folder, 'metrics.jsonl'), 'utf8');
console.log(`equal metrics without workers: ${metrics(run) === metrics(alone)}`);
