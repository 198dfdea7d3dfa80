import { expect, it } from 'vitest';
import { siteCatalogue } from '../build/site-catalogue.ts';
import { askedBy, collectedBy, commandOf, folderOf, type Choice } from './choices.ts';

const catalogue = siteCatalogue();
const choice: Choice = {
  environment: 'alfworld',
  policy: 'emma-tiny',
  method: 'bc',
  amount: 6,
  seed: 1,
  evaluated: 4,
  others: { lr: '0.001', 'act-with': 'expert', 'max-steps': 'own', 'admissible-only': '' },
};

it('means settings by their flags, with the values that words stand for', () => {
  expect(askedBy(choice, catalogue)).toEqual({
    environment: 'alfworld',
    policy: 'emma-tiny',
    method: 'bc',
    folder: folderOf(choice),
    settings: {
      seed: 1,
      evaluation: { episodes: 4 },
      play: {
        rounds: 1,
        gamesPerRound: 6,
        expertShare: { start: 1, decay: 1 },
        maxSteps: null,
        admissibleOnly: true,
      },
      optimization: { learningRate: 0.001 },
    },
  });
});

it('has a folder for each choice, and the same for the same', () => {
  expect(folderOf({ ...choice })).toBe(folderOf(choice));
  expect(folderOf({ ...choice, others: {} })).not.toBe(folderOf(choice));
  expect(folderOf({ ...choice, environment: '../a/b' })).toBe(
    '/runs/.._a_b emma-tiny bc 6 1 4 lr=0.001 act-with=expert max-steps=own admissible-only=',
  );
});

it('says the command that does the same', () => {
  expect(commandOf(choice, catalogue)).toBe(
    'emac train --method bc --env alfworld --policy emma-tiny --rounds 1 --games-per-round 6 --seed 1 ' +
      '--eval-episodes 4 --lr 0.001 --act-with expert --max-steps own --admissible-only',
  );
});

it('is taught by a person in two rounds', () => {
  const taught: Choice = { ...choice, expert: 'human', others: {} };
  const { settings } = askedBy(taught, catalogue);
  expect(settings).toMatchObject({ expert: { kind: 'human' }, play: { rounds: 2, gamesPerRound: 6 } });
  expect(folderOf(taught)).not.toBe(folderOf({ ...taught, expert: 'own' }));
  expect(commandOf(taught, catalogue)).toContain(
    '--policy emma-tiny --expert human --page --rounds 2 --games-per-round 6',
  );
});

it('learns recorded steps: two commands, which collect them and learn them', () => {
  const recorded: Choice = { ...choice, method: 'sft', others: { epochs: '2' } };
  const out = '/data/alfworld 6 1';
  expect(collectedBy(recorded, catalogue)).toEqual({
    env: 'alfworld',
    samples: 6,
    seed: 1,
    validation: 0,
    out,
  });
  expect(collectedBy(choice, catalogue)).toBe(null);
  expect(askedBy(recorded, catalogue)).toMatchObject({
    method: 'bc',
    settings: { trained: { parts: 'lora' }, dataset: { data: `${out}/train.json`, epochs: 2 } },
  });
  expect(commandOf({ ...recorded, expert: 'human' }, catalogue).split('\n')).toEqual([
    'emac collect --env alfworld --expert human --page --num-samples 6 --seed 1 --val-share 0 --out data',
    'emac train --method sft --env alfworld --policy emma-tiny --data data --seed 1 --eval-episodes 4 --epochs 2',
  ]);
});

it('offers the methods and environments of the packages, and says why a tab cannot have one', () => {
  const methods = catalogue.methods.map(({ name }) => name);
  expect(methods).toEqual(
    expect.arrayContaining(['bc', 'dpo', 'bc,dpo', 'kto', 'sft', 'ppo', 'grpo', 'graphgpo']),
  );
  const refused = Object.fromEntries(catalogue.kinds.map(({ name, refusal }) => [name, refusal]));
  expect(refused).toMatchObject({
    alfworld: null,
    minigrid: null,
    'gym-cards': null,
    tabletop: 'needs vla-tiny, which the site does not have',
    libero: 'another program plays it',
  });
  // what the commands take: a dataset is learned by language models, and its settings are its own
  const networks = Object.fromEntries(catalogue.methods.map(({ name, hasNetworks }) => [name, hasNetworks]));
  expect(networks).toMatchObject({ bc: true, sft: false, ppo: true, grpo: true });
  const flags = (family: 'train' | 'sft') => catalogue.settings[family].map(({ flag }) => flag);
  expect([flags('train').includes('epochs'), flags('sft').includes('epochs')]).toEqual([false, true]);
  expect([flags('train').includes('rounds'), flags('sft').includes('rounds')]).toEqual([true, false]);
  const policies = Object.fromEntries(catalogue.kinds.map(({ name, policies: all }) => [name, all]));
  expect(policies).toMatchObject({
    alfworld: ['emma-tiny'],
    minigrid: ['mlp', 'cnn', 'rl-tiny', 'emma-tiny'],
    'your own': ['emma-tiny', 'rl-tiny', 'mlp', 'cnn'],
  });
});
