import { expect, it } from 'vitest';
import { siteCatalogue } from '../build/site-catalogue.ts';
import { askedBy, commandOf, folderOf, type Choice } from './choices.ts';

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

it('offers the methods and environments of the packages, and says why a tab cannot have one', () => {
  const methods = catalogue.methods.map(({ name }) => name);
  expect(methods).toEqual(expect.arrayContaining(['bc', 'dpo', 'bc,dpo', 'kto', 'ppo', 'grpo', 'graphgpo']));
  const refused = Object.fromEntries(catalogue.kinds.map(({ name, refusal }) => [name, refusal]));
  expect(refused).toMatchObject({
    alfworld: null,
    minigrid: null,
    'gym-cards': null,
    tabletop: 'needs vla-tiny, which the site does not have',
    libero: 'another program plays it',
  });
});
