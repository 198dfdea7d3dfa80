/**
 * Kills small trainings repeatedly, resumes them each time, and compares the results with undisturbed runs byte for
 * byte: metrics, memories, replies, buffers, transcripts, evaluations and checkpoint files. It covers both phases; one
 * game at a time, an adapter, concurrent games, and a dataset; a speaker of the Lewis game (grpo), and a robot with a
 * curriculum (ppo).
 *
 *   node tools/dist/kill-harness/main.js [--kills 200] [--stops 20] [--seed 1] [--jobs 1] [--only NAME] [--skip-failpoints] [--folder DIR]
 *
 * `--kills` at random moments, spread evenly over acting, updating, reflecting, writing a checkpoint and evaluating, as
 * far as a training does these. `--stops` by SIGTERM, which must end with 75. Also one kill at every failpoint of the
 * code. `--only` selects one training, such as `adapter`. Ends with status 2 on any difference.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { invariant, Random } from '@emac/core';
import { disturb } from './disturb.ts';
import { startLanguageServer } from './language-server.ts';
import { trainings } from './training.ts';

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '200' },
    stops: { type: 'string', default: '20' },
    seed: { type: 'string', default: '1' },
    jobs: { type: 'string', default: '1' },
    only: { type: 'string' },
    'skip-failpoints': { type: 'boolean', default: false },
    folder: { type: 'string' },
  },
});

const folder = values.folder ?? mkdtempSync(join(tmpdir(), 'emac-kills-'));
const server = await startLanguageServer(50);
const say = (line: string) => process.stdout.write(`${line}\n`);
const all = await trainings(folder, server);
const chosen = all.filter(({ name }) => values.only === undefined || name === values.only);
invariant(
  chosen.length > 0,
  `--only: must be one of ${all.map(({ name }) => name).join(', ')}, got ${values.only}`,
);
const faults = await disturb({
  folder,
  trainings: chosen,
  say,
  random: Random.fromSeed(values.seed),
  kills: Number(values.kills),
  stops: Number(values.stops),
  tryFailpoints: !values['skip-failpoints'],
  jobs: Number(values.jobs),
});
server.close();
for (const fault of faults) say(`FAILED ${fault}`);
if (faults.length === 0 && values.folder === undefined) rmSync(folder, { recursive: true });
else say(`runs are in ${folder}`);
process.exitCode = faults.length === 0 ? 0 : 2;
