/** Settings without effect, for every method, environment and policy, and from every place that gives settings. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { EmacError } from '@emac/core';
import { collectConfig, collectSchema } from '@emac/datasets';
import { subjectOf } from '@emac/opening';
import {
  evaluationConfig,
  evaluationSchema,
  grpoSchema,
  ppoSchema,
  requireEffect,
  statedSettings,
  trainConfig,
  trainSchema,
  unmet,
} from '@emac/settings';
import type { z } from 'zod';
import { stringify } from 'yaml';
import { describe, expect, it } from 'vitest';
import { emac, temporaryFolder } from '../captured-io.test.fixture.ts';
import { trainCommand, trainingMethod } from '../commands/training/train.ts';
import type { TrainingMethod } from '../commands/training/training-method.ts';
import { collectSettings } from './collect-settings.ts';
import { evalSettings } from './eval-settings.ts';
import { layered } from '../options/layers.ts';
import { readValues, type OptionTable } from '../options/option.ts';

const folder = temporaryFolder();
let files = 0;
const file = (content: object): string => {
  const path = join(folder, `${++files}.yaml`);
  writeFileSync(path, stringify(content));
  return path;
};

interface Given {
  readonly typed?: Readonly<Record<string, string>>;
  readonly words?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** The error as `code: message`; empty without one. */
function fault(act: () => void): string {
  try {
    act();
    return '';
  } catch (thrown) {
    if (!(thrown instanceof EmacError)) throw thrown;
    return `${thrown.code}: ${thrown.message}`;
  }
}

/** A run of the method in the words. */
function planOf(argv: readonly string[]) {
  return (sources: Parameters<TrainingMethod['plan']>[0]) =>
    trainingMethod(argv).plan(sources, { now: () => 0 });
}

function ofTrain({ typed = {}, words = [], env = {} }: Given): string {
  const { values } = readValues(trainCommand([]).options, { phase: 'bc', ...typed });
  return fault(() => planOf([])({ values, words, env }));
}

const noGames = 'belongs to games, but --data has none';
const noOpenai = 'belongs to --expert openai, which was not given';

const words = (text: string) => text.trim().split(/\s+/);

const ofModels = words(
  'tf-backend layers activations weights rows context-memory savings train lora-rank lora-alpha lora-dropout lora-targets min-length observe dialogue max-new-tokens max-prompt-tokens',
);
const ofDpo = words('loss label-smoothing reference-free sum-log-probs');
const ofKto = words('desirable-weight undesirable-weight');
const ofOthers = [...ofKto, 'target-margin'];
const ofPairs = [...words('ref carry beta mix-ratio agreed'), ...ofDpo, ...ofOthers];
const ofGames = words(
  'carry student-memory curriculum curriculum-games curriculum-alpha curriculum-temp curriculum-min-prob',
);
const ofLewis = words(
  'role turns listener speaker pictures candidates split-seed training-share speaker-temperature listener-reward-mode format-reward length-reward overlap-reward verdict-reward send',
);
const ofTasks = words('max-steps admissible-only reward invalid-cost games eval-on observe dialogue');
const inNumbers = words(
  'utility temporal-predictor curriculum curriculum-alpha curriculum-temp curriculum-min-prob curriculum-tasks palette penalty-reward-value action-only-prompt action-score-prompt',
);
const outsideCards = words('games eval-on palette penalty-reward-value action-score-prompt');
const ofPpoModels = words(
  'value-learns value-lr-scale credit thought-prob-coef ratio-guard token-lambda token-gamma temporal-predictor inference inference-adapters inference-max-gap inference-logprobs action-only-prompt',
);
const imitatingModels = words('data projection projection-hidden beams imitate-thoughts admissible-only');

/** Settings that no other setting could give an effect, as flags. */
it.each<[method: string, schema: z.ZodType, env: string, policy: string, refused: readonly string[]]>([
  ['bc', trainSchema, 'alfworld', 'emma-tiny', ofPairs],
  ['bc', trainSchema, 'MiniGrid-Empty-5x5-v0', 'emma-tiny', [...ofPairs, ...ofGames, 'games', 'eval-on']],
  ['dpo', trainSchema, 'alfworld', 'emma-tiny', ofOthers],
  ['dpo', trainSchema, './mine.mjs', 'emma-tiny', [...ofGames, ...ofOthers]],
  ['kto', trainSchema, 'alfworld', 'emma-tiny', [...ofDpo, 'target-margin']],
  ['simpo', trainSchema, 'alfworld', 'emma-tiny', [...ofDpo, ...ofKto, 'ref', 'carry']],
  ['orpo', trainSchema, 'alfworld', 'emma-tiny', [...ofDpo, ...ofOthers, 'ref', 'carry']],
  ['focal-bc', trainSchema, './mine.mjs', 'mlp', [...ofPairs, ...ofGames, ...ofModels, ...imitatingModels]],
  ['ppo', ppoSchema, 'alfworld', 'emma-tiny', inNumbers],
  ['ppo', ppoSchema, 'gym_cards/NumberLine-v0', 'rl-tiny', outsideCards],
  ['ppo', ppoSchema, 'gym_cards/NumberLine-v0', 'mlp', [...outsideCards, ...ofModels, ...ofPpoModels]],
  ['grpo', grpoSchema, 'lewis', 'lewis-tiny', ofTasks],
  ['grpo', grpoSchema, 'alfworld', 'emma-tiny', ofLewis],
  [
    'grpo',
    grpoSchema,
    'MiniGrid-Empty-5x5-v0',
    'mlp',
    [
      ...ofLewis,
      ...ofModels,
      ...words('admissible-only beta kl-in kl-estimator invalid-cost max-pixels games eval-on'),
    ],
  ],
])('settings without effect: %s, %#', (method, schema, env, policy, refused) => {
  const subject = subjectOf({ method, env, policy });
  const without = statedSettings(schema).filter(({ when }) => unmet(when, subject, null));
  const flags = without.map(({ node }) => node.flag || node.off?.flag).filter(Boolean);
  expect([...new Set(flags)].sort()).toEqual([...new Set(refused)].sort());
});

it.each([
  [['--method', 'bc'], ofPairs, ['rounds', 'data', 'games']],
  [['--method', 'dpo', '--env', './mine.mjs'], ofGames, ['ref', 'beta', 'rounds']],
  [
    ['--method', 'sft'],
    [...ofPairs, 'rounds', 'expert-probability'],
    ['data', 'epochs'],
  ],
  [['--method', 'gigpo', '--env', 'alfworld'], ofLewis, ['advantages', 'gamma', 'reward']],
  [['--method', 'ppo', '--env', 'gym_cards/NumberLine-v0', '--policy', 'mlp'], ofPpoModels, ['steps', 'lr']],
])('help of emac train %j leaves out what has no effect there', async (words, absent, present) => {
  const { stdout } = await emac(['train', ...words, '--help']);
  const listed = [...stdout.matchAll(/^ +--([\w-]+)/gm)].map(([, flag]) => flag!);
  expect(listed.filter((flag) => absent.includes(flag))).toEqual([]);
  expect(listed).toEqual(expect.arrayContaining(present));
});

describe('a setting of emac train without the one it depends on', () => {
  it('is rejected with its origin, from any place', () => {
    const rounds = file({ play: { rounds: 7 } });
    const both = file({ play: { rounds: 7 }, dataset: { data: 'd.json' } });
    const data = file({ dataset: { data: 'd.json' } });
    expect(ofTrain({ typed: { data: 'd.json', config: rounds } })).toBe(
      `config: --config ${rounds}: play.rounds: ${noGames}`,
    );
    expect(ofTrain({ typed: { config: both } })).toBe(`config: --config ${both}: play.rounds: ${noGames}`);
    expect(ofTrain({ typed: { config: data, rounds: '2' } })).toBe(`usage: --rounds: ${noGames}`);
    expect(ofTrain({ typed: { config: data }, words: ['play.rounds=2'] })).toBe(
      `usage: play.rounds=2: ${noGames}`,
    );
    // a variable is meant for other commands too
    expect(ofTrain({ typed: { config: data }, env: { EMAC_GAMES: 'g' } })).toBe('');
    const model = file({ expert: { languageModel: { model: 'm' } } });
    expect(ofTrain({ typed: { config: model } })).toBe(
      `config: --config ${model}: expert.languageModel.model: ${noOpenai}`,
    );
    const epochs = file({ dataset: { epochs: 3 } });
    expect(ofTrain({ typed: { config: epochs } })).toMatch(
      /dataset\.epochs: belongs to --data, which was not/,
    );
    const carried = file({ start: { carry: 'memories' } });
    expect(ofTrain({ typed: { config: carried } })).toMatch(
      /start\.carry: is for methods that learn from pairs, such as dpo, got --method bc/,
    );
    expect(ofTrain({ typed: { config: carried, phase: 'dpo', ref: 'r' } })).toBe('');
  });

  it('is accepted if another place gives the one it depends on', () => {
    const openai = file({ expert: { kind: 'openai', languageModel: { model: 'm' } } });
    expect(ofTrain({ typed: { config: openai, 'expert-budget': '3' } })).toBe('');
    expect(ofTrain({ typed: { config: file({ dataset: { data: 'd' } }), epochs: '2' } })).toBe('');
    const departure = file({ samples: { selection: { keep: 'departure', after: 1 } } });
    expect(ofTrain({ typed: { config: departure, 'departure-steps': '2' } })).toBe('');
    const mixture = file({ play: { expertShare: { start: 0.7, decay: 0.9 } } });
    expect(ofTrain({ typed: { config: mixture, 'expert-decay': '0.5' } })).toBe('');
    const student = { 'act-with': 'student' };
    expect(ofTrain({ typed: student })).toBe('');
    expect(ofTrain({ typed: { ...student, 'expert-decay': '0.25' } })).toMatch(
      /^usage: --expert-\w+: belongs to --act-with mixture/,
    );
    expect(ofTrain({ typed: { 'expert-decay': '0.5', 'act-with': 'mixture' } })).toBe('');
  });

  it('may be repeated by a file with the value in use, and is part of a run’s own file', () => {
    const { out: _place, ...whole } = trainConfig({ phase: 'bc' });
    const dataset = { data: 'd.json', images: null, validation: null, epochs: 6 };
    const shown = file({ ...whole, dataset });
    expect(ofTrain({ typed: { config: shown } })).toBe('');
    expect(
      ofTrain({ typed: { config: file({ ...whole, dataset, play: { ...whole.play, rounds: 9 } }) } }),
    ).toContain(`play.rounds: ${noGames}`);
    // opening the model replaced defaults in this file
    const resolved = { ...whole, dataset, probe: true, expert: { ...whole.expert, thoughts: true } };
    const ofRun = file({
      v: 2,
      command: 'train',
      phases: ['bc'],
      ...resolved,
      given: { dataset },
      drawn: [],
    });
    expect(ofTrain({ typed: { config: ofRun } })).toBe('');
    expect(ofTrain({ typed: { config: file(resolved) } })).toContain(`expert.thoughts: ${noGames}`);
    // flags beside the file are judged
    expect(ofTrain({ typed: { config: ofRun, rounds: '3' } })).toBe(`usage: --rounds: ${noGames}`);
  });
});

function judged(schema: z.ZodType, table: OptionTable, defaults: object) {
  return ({ typed = {}, words = [], env = {} }: Given): string => {
    const { values } = readValues(table, typed);
    const { layers } = layered(table, { values: { ...values, config: typed['config'] ?? null }, words, env });
    return fault(() => requireEffect({ schema, layers, defaults }));
  };
}

type Typed = Readonly<Record<string, unknown>>;

it.each([
  ['ppo', planOf(['--method', 'ppo']), { env: 'gym_cards/NumberLine-v0', policy: 'rl-tiny' }],
  ['grpo', planOf(['--method', 'grpo']), { env: 'alfworld' }],
] as const)('settings of an adapter need one that learns: emac %s', (_name, whole, start) => {
  const faultOf = (typed: Typed, ...words: string[]) =>
    fault(() => whole({ values: { ...start, config: null, ...typed }, words, env: {} }));
  const none = 'belongs to --train lora, which was not given';
  const projection = { train: 'projection' };
  expect(faultOf({ ...projection, 'lora-rank': 4 })).toBe(`usage: --lora-rank: ${none}`);
  expect(faultOf(projection, 'trained.alpha=3')).toBe(`usage: trained.alpha=3: ${none}`);
  expect(faultOf({ 'lora-rank': 4 })).toBe('');
  expect(faultOf({ train: 'projection,lora', 'lora-rank': 4 })).toBe('');
  const adapter = { trained: { parts: 'lora', rank: 4 } };
  expect(faultOf({ ...projection, config: file(adapter) })).toMatch(/^config: .*: trained.rank: belongs to/);
  // a run's own file has every value in use
  expect(faultOf({ ...projection, config: file({ command: 'x', ...adapter }) })).toBe('');
  // another type is refused in a sentence, here or with the whole configuration
  expect(faultOf({}, 'trained.parts=1')).toMatch(/^($|config: )/);
});

describe('a setting of emac train --method grpo without effect', () => {
  const faultOf = (values: Typed) =>
    fault(() =>
      planOf(['--method', 'grpo'])({
        values: { env: 'alfworld', config: null, ...values },
        words: [],
        env: {},
      }),
    );

  it.each<[flag: string, alone: Typed, meant: Typed]>([
    // the penalty's weight is 0 in ALFWorld with the shipped model
    ['kl-in', { 'kl-in': 'reward' }, { beta: 0.01 }],
    ['kl-estimator', { 'kl-estimator': 'k1' }, { 'lora-rank': 2 }],
    ['gamma', { gamma: 0.9 }, { advantages: 'history' }],
    ['step-weight', { 'step-weight': 2 }, { advantages: 'steps' }],
    ['step-weight', { 'step-weight': 2 }, { advantages: 'graph' }],
    ['attempt-weight', { 'attempt-weight': 2 }, { advantages: 'graph' }],
    ['history', { history: 1 }, { advantages: 'history' }],
    ['history-exponent', { 'history-exponent': 2 }, { advantages: 'history' }],
    ['scale-rewards', { 'scale-rewards': 'none', advantages: 'leave-one-out' }, { advantages: 'group' }],
    ['redraws', { redraws: 1, advantages: 'batch' }, { advantages: 'steps' }],
    ['micro-batch-size', { 'micro-batch-size': 4 }, { 'loss-type': 'bnpo' }],
    ['port', { port: 9000 }, { world: 'http' }],
  ])('is refused: --%s', (flag, alone, meant) => {
    expect(faultOf(alone)).toMatch(new RegExp(`^usage: --${flag}: belongs to `));
    expect(faultOf({ ...alone, ...meant })).toBe('');
  });
});

it('settings of emac eval follow the same rule', () => {
  const ofEval = judged(evaluationSchema, evalSettings, evaluationConfig({ ckpt: 'c' }));
  const steps = file({ maxSteps: 5 });
  const none = 'belongs to games, but --data has none';
  expect(ofEval({ typed: { ckpt: 'c', data: 'd', config: steps } })).toBe(
    `config: --config ${steps}: maxSteps: ${none}`,
  );
  expect(ofEval({ typed: { ckpt: 'c', config: steps } })).toBe('');
  expect(ofEval({ typed: { ckpt: 'c' }, words: ['data=d', 'numGames=2'] })).toBe(
    `usage: numGames=2: ${none}`,
  );
});

it('settings of emac collect follow the same rule', () => {
  const ofCollect = judged(collectSchema, collectSettings, collectConfig({ out: 'o' }));
  const share = file({ expertProbability: 0.7 });
  expect(ofCollect({ typed: { out: 'o', config: share } })).toBe(
    `config: --config ${share}: expertProbability: belongs to --act-with mixture, which was not given`,
  );
  expect(ofCollect({ typed: { out: 'o', config: share, 'act-with': 'mixture' } })).toBe('');
  expect(ofCollect({ typed: { out: 'o', 'expert-probability': '0.7' }, words: ['actWith=mixture'] })).toBe(
    '',
  );
});
