/**
 * Damaged files of evaluations, collections and sweeps, as `damaged-files` has them of runs: the commands that read them, and the one
 * that resumes, end as without the damage or with one sentence that names the file. The board shows what is whole.
 */
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { serveBoard } from '@emac/report';
import { alsoLong } from '@emac/testing';
import { expect, it } from 'vitest';
import { emac, temporaryFolder } from '../captured-io.test.fixture.ts';
import { copiedAt, type KilledAt } from '../killed-runs.test.fixture.ts';
import { damage, damagesIn, faultOf, filesIn, type Damage } from './damaged-files.test.fixture.ts';

const folder = temporaryFolder();
const line = 'gym_cards/NumberLine-v0';
const sweepFile = join(folder, 'sweep.yaml');
writeFileSync(
  sweepFile,
  `command: train --method ppo --env ${line} --policy mlp --num-processes 2 --num-steps 4 --steps 16 --eval-episodes 2\nseeds: [0]\n`,
);

interface Row {
  readonly name: string;
  /** makes it, and resumes it in the folder OUT */
  readonly command: string;
  /** where it is killed and resumed; `whole`: the command reads its whole folder again; null: it is not resumed */
  readonly kill: KilledAt | 'whole' | null;
  /** commands that read the whole folder OUT */
  readonly readers: readonly string[];
  /** files with its results */
  readonly results: RegExp;
}

const rows: readonly Row[] = [
  {
    name: 'a comparison',
    command: `eval --policy random,scripted --env ${line} --num-episodes 2 --out OUT`,
    kill: 'appended:4',
    readers: [],
    results: /^(comparison|policies\/.*\/eval)\.json$/,
  },
  {
    name: 'a collection of games',
    command: 'collect --num-games 2 --max-steps 3 --out OUT',
    kill: 'appended:2',
    readers: ['data check OUT', 'data stats OUT'],
    results: /^train\.json$/,
  },
  {
    name: 'a collection in an environment',
    command: `collect --env ${line} --num-samples 6 --out OUT`,
    kill: null,
    readers: ['data check OUT', 'data stats OUT'],
    results: /^train\.json$/,
  },
  ...alsoLong<Row>([
    {
      name: 'an evaluation in games',
      command: 'eval --ckpt emma-tiny --num-games 2 --max-steps 2 --beams 1 --max-new-tokens 4 --out OUT/',
      kill: 'appended:1',
      readers: ['report OUT'],
      results: /^eval\.json$/,
    },
    {
      name: 'a sweep',
      command: `sweep ${sweepFile} --out OUT`,
      kill: 'whole',
      readers: [],
      results: /^results\.json$/,
    },
  ]),
];

const words = (text: string, place: string): string[] =>
  text.split(' ').map((each) => each.replace('OUT', place));

function resultsIn(place: string, results: RegExp): string {
  const names = filesIn(place).filter((name) => results.test(name));
  // times, and folders named after them or after others beside them
  const clock = /"seconds": [\d.]+|\d{4}-\d\d-\d\dT\d{4}-[\w-]+|(made|copied)(?=.out)/g;
  return names
    .map((name) => `${name} ${readFileSync(join(place, name), 'utf8')}`)
    .join('')
    .replace(clock, '');
}

/** Addresses of the board that fail for a folder of results. */
async function failedAt(place: string): Promise<string[]> {
  const { address, close } = await serveBoard({ folder: place, port: 0, now: () => new Date(0) });
  try {
    const parts = ['', '/report', '/comparison', '/sweep', '/episodes/0'];
    const paths = ['', ...parts.map((part) => `/out${part}`)].map((path) => `api/runs${path}`);
    const statuses = await Promise.all(paths.map(async (path) => (await fetch(`${address}${path}`)).status));
    return paths.filter((_, number) => statuses[number]! >= 500);
  } finally {
    await close();
  }
}

it.each(rows)('of $name are named, or change nothing', async (row) => {
  const { command, kill, readers, results } = row;
  const place = join(folder, row.name.replaceAll(' ', '-'));
  const [made, killed, copied] = ['made', 'killed', 'copied'].map((name) => join(place, name));
  mkdirSync(made!, { recursive: true });
  const out = join(made!, 'out');
  const work = () => emac(words(command, out));
  const kills = kill === null || kill === 'whole' ? [] : [kill];
  expect(await copiedAt(kills, { out: made!, copies: killed!, work })).toMatchObject({ status: 0 });
  const faults: string[] = [];
  const damagedAs = async (from: string, file: string, how: Damage, reader: string) => {
    rmSync(copied!, { recursive: true, force: true });
    cpSync(from, copied!, { recursive: true });
    damage(join(copied!, file), how);
    return emac(words(reader, join(copied!, 'out')));
  };
  const resumed = kill === 'whole' ? made! : join(killed!, String(kill).replace(':', '-'));
  for (const [file, how] of kill === null ? [] : damagesIn(resumed)) {
    const ended = await damagedAs(resumed, file, how, command);
    const isOther =
      ended.status === 0 && resultsIn(join(copied!, 'out'), results) !== resultsIn(out, results);
    const fault = isOther ? 'ends differently' : faultOf(ended, file);
    if (fault) faults.push(`${file} ${how}: resumed, ${fault}`);
  }
  for (const [file, how] of damagesIn(made!)) {
    for (const reader of readers.length > 0 ? readers : ['runs']) {
      const fault = faultOf(await damagedAs(made!, file, how, reader), file);
      if (fault) faults.push(`${file} ${how}: ${reader} ${fault}`);
    }
    faults.push(...(await failedAt(copied!)).map((path) => `${file} ${how}: board ${path} fails`));
  }
  expect(faults).toEqual([]);
});
