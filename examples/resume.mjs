/** A run that is stopped, by a signal here, by Ctrl-C or a kill elsewhere: the same call resumes it. */
import { learn } from '@emac/experiment';
import { plainHost } from '@emac/opening';

const call = {
  environment: 'gym_cards/NumberLine-v0',
  policy: 'mlp',
  method: 'ppo',
  settings: { play: { environmentSteps: 8192 }, evaluation: { episodes: 100 }, checkpointEvery: 1 },
  folder: 'runs/resume',
};

const stop = new AbortController();
let updates = 0;
const reinforced = () => ++updates === 3 && stop.abort();
await learn(call, plainHost({ signal: stop.signal, listener: { reinforced } })).catch(({ code }) =>
  console.log(`${code} after ${updates} updates`),
);

const again = [];
const run = await learn(call, plainHost({ listener: { reinforced: ({ update }) => again.push(update) } }));
console.log(`resumed at update ${again[0]}, success ${run.after.success}`);

const finished = await learn(call); // trains nothing
console.log(finished.folder === run.folder);
