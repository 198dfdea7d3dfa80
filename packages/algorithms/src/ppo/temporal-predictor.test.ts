import { parametersOf, Random, type ParameterSet, type Trainable } from '@emac/core';
import { arrayTexts } from '@emac/rollout';
import { createSmallNetwork, mlp } from '@emac/small-networks';
import { corridor, numberedPrompt, tokenTable, type TokenTable } from '@emac/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ppo } from '../ppo.ts';
import type { PpoCheckpoint, PpoLine, PpoRun } from './ppo-run.ts';
import { ppoPreset } from './presets.ts';
import type { ActionPredictor } from './action-predictor.ts';

const environments = 4;
const { settings: standard } = ppoPreset('tiny');
const settings: PpoRun['settings'] = {
  ...standard,
  // longer than an episode and shorter than two
  play: { ...standard.play, environmentSteps: 5 * 24, stepsPerUpdate: 6 },
  shaping: { ...standard.shaping, temporalPredictor: 0.6 },
};
// 4 steps reach the goal from the first of 5 cells only without a wrong one
const corridors = (count = environments) => Array.from({ length: count }, () => corridor({ limit: 4 }));

const cells = mlp({ inputs: [{ array: 'cell', encode: 'one-hot', size: 1, categories: [5] }], hidden: [8] });
async function network(start: Random | ParameterSet = Random.fromSeed(1)) {
  const made = await createSmallNetwork({ architecture: cells, actions: ['left', 'right'], start });
  onTestFinished(() => made.dispose());
  return made;
}

/** With no more than the words of sequences and an end token: four ids. */
const table = (scale = 0.5) =>
  tokenTable(
    { prompts: 5, words: ['left', 'right', '||'], maxLength: 99 },
    Random.fromSeed('predictor'),
    scale,
  );

/** Reads the cell where an episode begins. */
function predictorOf(policy: TokenTable): ActionPredictor {
  const [environment] = corridors(1);
  return {
    policy,
    prompt: (seed) => {
      environment!.reset(seed);
      return Promise.resolve(numberedPrompt(environment!.observe()['cell']!.data[0] as number));
    },
    room: () => 99,
    words: { actions: [[0], [1]], separator: [2] },
  };
}

type Groups = Pick<Trainable, 'groups'>;
const copied = (of: Groups): ParameterSet =>
  new Map([...parametersOf(of)].map(([name, { shape, data }]) => [name, { shape, data: data.slice() }]));

async function run(policy: TokenTable, more: Partial<PpoRun> = {}, start?: ParameterSet) {
  const actorCritic = await network(start);
  const lines: PpoLine[] = [];
  const stored: { checkpoint: PpoCheckpoint; acting: ParameterSet; predicting: ParameterSet }[] = [];
  const { groups } = actorCritic;
  const acting: Groups = { groups: [...groups.policy, ...groups.value] };
  const state = await ppo({
    settings,
    actorCritic,
    environments: corridors(),
    texts: arrayTexts,
    random: Random.fromSeed(7),
    predictor: predictorOf(policy),
    metrics: (line) => void lines.push(line),
    checkpoint: ({ state: moment, optimizer }) =>
      void stored.push({
        checkpoint: {
          // as a file would have it
          state: JSON.parse(JSON.stringify(moment)) as PpoCheckpoint['state'],
          optimizer: structuredClone(optimizer),
        },
        acting: copied(acting),
        predicting: copied(policy),
      }),
    ...more,
  });
  return { state, lines, stored };
}

describe('a predictor of actions', () => {
  it('is trained on ended episodes, and judges from the second update on', async () => {
    const { lines, stored } = await run(table());
    expect(lines).toHaveLength(5);
    expect(lines[0]).toMatchObject({ predictor_loss: null, mean_novelty: null });
    expect(lines[0]).not.toHaveProperty('mean_bonus');
    const kept = stored.map(({ checkpoint: { state } }) => state.temporal?.kept.length ?? 0);
    // four passes of four episodes a step
    let made = 0;
    stored.slice(1).forEach(({ checkpoint: { optimizer } }, update) => {
      made += 4 * Math.ceil(kept[update]! / 4);
      expect(optimizer.predictor?.step ?? 0).toBe(made);
    });
    expect(kept[1]).toBeGreaterThanOrEqual(environments);
    for (const line of lines.slice(1)) {
      expect(line['predictor_loss']).toBeGreaterThan(0);
      expect(line['mean_novelty']).toBeGreaterThan(0);
      expect(line['mean_bonus']).toBeGreaterThan(0);
      expect(line['mean_bonus']).toBeLessThan(0.6);
    }
    // episodes under way are known from their first step
    const { state } = stored.at(-1)!.checkpoint;
    expect(state.temporal!.running.map(({ actions }) => actions.length)).toEqual(
      state.running.map(({ steps }) => steps),
    );
    expect(state.temporal!.running.map(({ episode }) => episode)).toEqual(state.vector.episodes);
  });

  it('finds all actions equally new before training', async () => {
    const optimization = { ...settings.optimization, learningRate: 1e-30 };
    const { lines } = await run(table(0), { settings: { ...settings, optimization } });
    for (const line of lines.slice(1)) {
      // one of four ids, each as likely as the others
      expect(line['predictor_loss']).toBeCloseTo(Math.log(4), 5);
      expect(line['mean_novelty']).toBeCloseTo(Math.log(4), 5);
    }
  });

  it('resumes from any checkpoint to the same bytes, with its optimizer moments', async () => {
    const policy = table();
    const { state, lines, stored } = await run(policy);
    for (const at of [0, 1, 3]) {
      const { checkpoint, acting, predicting } = stored[at]!;
      const again = table();
      for (const [name, { data }] of parametersOf(again)) data.set(predicting.get(name)!.data);
      again.commit();
      const resumed = await run(again, { resume: checkpoint }, acting);
      expect(resumed.state).toEqual(state);
      expect(resumed.lines).toEqual(lines.slice(at));
      expect(parametersOf(again)).toEqual(parametersOf(policy));
      expect(resumed.stored.at(-1)).toEqual(stored.at(-1));
    }
  });

  it('is refused with chosen episodes, whose beginnings it would confuse', async () => {
    const choice = { seedOf: () => 2, ended() {}, state: () => null, restore() {} };
    await expect(run(table(), { choice })).rejects.toThrow('this run chooses its episodes');
  });

  it('is not used unless requested', async () => {
    const policy = table();
    const off = { ...settings, shaping: { ...settings.shaping, temporalPredictor: 0 } };
    const { stored, lines } = await run(policy, { settings: off });
    expect(parametersOf(policy)).toEqual(parametersOf(table()));
    expect(Object.keys(lines[1]!)).not.toContain('predictor_loss');
    expect(stored.at(-1)!.checkpoint.state).not.toHaveProperty('temporal');
    expect(stored.at(-1)!.checkpoint.optimizer).not.toHaveProperty('predictor');
  });
});
