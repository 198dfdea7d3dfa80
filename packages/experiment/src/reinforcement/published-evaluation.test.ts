/** The folder of an evaluation as VLA-RL's code makes it: its name, its log, and records that can be played again. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { movedWorld } from '@emac/opening';
import { tabletop } from '@emac/tabletop';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../temporary-folder.test.support.ts';
import type { PpoEvaluation } from './ppo-evaluation.ts';
import {
  evaluationPrefix,
  publishedFolder,
  publishedLog,
  rolloutPath,
  rolloutRecords,
} from './published-evaluation.ts';

const folder = temporaryFolder();
const naming = {
  env: 'tabletop/spatial',
  model: 'runs/one/best_return',
  temperature: 0,
  seed: 7,
  note: null,
} as const;
const now = new Date(Date.UTC(2026, 10, 3, 4, 5, 6));

describe('the name of a published evaluation', () => {
  it("names suite, model, temperature in Python's format, seed, note and time", () => {
    const named = (given: Partial<Parameters<typeof evaluationPrefix>[0]>) =>
      publishedFolder(folder, { ...naming, ...given }, now)('subject').slice(folder.length + 1);
    expect(named({})).toBe('EVAL-tabletop_spatial-best_return-t-0.0-s-7-20261103-040506');
    expect(named({ env: 'tabletop/long/3', model: 'runs/a b@best', temperature: 1.6, note: 'last' })).toBe(
      'EVAL-tabletop_long_3-a_b@best-t-1.6-s-7--last-20261103-040506',
    );
    expect(() => named({ note: '../up' })).toThrow(/--note: is part of a folder name/);
    expect(() => named({ env: 'gym_cards/NumberLine-v0' })).toThrow(/is for tabletop/);
  });

  it('is the same for the same evaluation after an interruption, but for no other', () => {
    const parent = join(folder, 'interrupted');
    const prefix = evaluationPrefix(naming);
    for (const [name, subject] of [
      [`${prefix}-20261101-000000.part`, 'same'],
      [`${prefix}-20261102-000000.part`, 'same'],
      [`${prefix}-20261103-000000.part`, 'other'],
      [`${prefix}--note-20261102-130000.part`, 'same'],
    ] as const) {
      mkdirSync(join(parent, name), { recursive: true });
      writeFileSync(join(parent, name, 'eval.json.part.jsonl'), `{"subject":"${subject}","v":1}\n`);
    }
    // whole
    mkdirSync(join(parent, `${prefix}-20261102-120000`));
    const of = publishedFolder(parent, naming, now);
    expect(of('same')).toBe(join(parent, `${prefix}-20261102-000000`));
    expect(of('third')).toBe(join(parent, `${prefix}-20261103-040506`));
    mkdirSync(of('third'));
    expect(of('third')).toBe(join(parent, `${prefix}-20261103-040506-2`));
    // killed when it had its name and still its journal
    const named = join(parent, `${prefix}-20261102-120000`);
    writeFileSync(join(named, 'eval.json.part.jsonl'), '{"subject":"same","v":1}\n');
    expect(of('same')).toBe(named);
  });
});

it('the log has rates in all and by task, by their published keys', () => {
  const game = (task: number, state: number, won: boolean): PpoEvaluation['games'][number] => ({
    id: `tabletop/goal/${task}/${state}`,
    type: `task ${task}`,
    won,
    steps: 3,
    seen_in_training: false,
    return: won ? 1 : 0,
    fallbacks: 0,
  });
  const games = [
    game(0, 40, true),
    game(1, 40, false),
    game(9, 40, true),
    game(0, 41, false),
    game(9, 41, true),
  ];
  expect(publishedLog({ games: [...games, game(0, 42, false)] }).split('\n')).toEqual([
    'Episodes completed: 6',
    'Success rate: 50.00%',
    'success_rate/total: 0.5',
    'num_episodes/total: 6',
    `success_rate/task_0: ${1 / 3}`,
    'success_rate/task_1: 0.0',
    'success_rate/task_9: 1.0',
    '',
  ]);
});

describe('the record of an episode', () => {
  const settings = { starts: { set: 'heldOut', isCounted: true }, maxSteps: null, frameSize: 8 } as const;

  it('is enough to play it again, under the name of the published films', () => {
    const env = 'tabletop/spatial';
    const environment = movedWorld(env).make(settings);
    // tasks take turns: the thirteenth is task 3 in its second held-out state
    environment.reset(13);
    const out = join(folder, 'records');
    mkdirSync(out);
    const records = rolloutRecords(out, env);
    records.begun(13, environment);
    let [isOver, sum, steps] = [false, 0, 0];
    while (!isOver) {
      const action = environment.expert();
      const outcome = environment.step(action);
      records.stepped(13, { environment, answer: '', action, isFallback: false, outcome });
      isOver = outcome.terminated || outcome.truncated;
      sum += outcome.reward;
      steps++;
    }
    records.ended(13, { return: sum, steps, truncated: false, fallbacks: 0 });
    const [name] = readdirSync(join(out, 'rollouts'));
    // fifty characters of the sentence
    expect(name).toBe(
      'rk=0+epi=13+s=True+task=3+inst=take_the_bowl_behind_the_mug_and_put_it_on_the_tra.json',
    );
    expect(`${rolloutPath(env, 13, true)}.json`).toBe(join('rollouts', name!));
    const record = JSON.parse(readFileSync(join(out, 'rollouts', name!), 'utf8')) as {
      id: string;
      actions: number[][];
      rewards: number[];
    };
    expect(record).toMatchObject({ id: 'tabletop/spatial/3/41', success: true, return: 1, steps });
    const again = tabletop(record.id);
    again.reset(0);
    expect(record.actions.map((action) => again.step(action).reward)).toEqual(record.rewards);
    expect(record.rewards.at(-1)).toBe(1);
  });
});
