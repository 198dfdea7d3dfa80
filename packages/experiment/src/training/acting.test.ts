/** The policy's observations and sampling during training, and in its checkpoint. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { builtinGameAt } from '@emac/opening';
import type { GivenTrainConfig } from '@emac/settings';
import { describe, expect, it } from 'vitest';
import { openAgent } from '../agent.ts';
import { temporaryFolder } from '../temporary-folder.test.support.ts';
import { train } from './train.ts';

const folder = temporaryFolder();
const trained = (name: string, changes: Partial<GivenTrainConfig>) =>
  train({
    phase: 'bc',
    optimization: { updatesPerEpisode: 1 },
    probe: false,
    evaluation: { episodes: 0 },
    ...changes,
    play: { rounds: 1, gamesPerRound: 1, maxSteps: 4, ...changes.play },
    out: join(folder, name),
  });
const transitionsOf = (run: string) =>
  readFileSync(join(run, 'buffers', 'transitions.bin')).toString('latin1');

describe('training with an observation form', () => {
  it('by frames alone, the default, reads no contents, and its checkpoint acts in the same form', async () => {
    const { folder: run } = await trained('image', { speech: { beams: 1 } });
    const { folder: whole } = await trained('both', { speech: { beams: 1, observe: 'both' } });
    expect(transitionsOf(run)).not.toMatch(/, you see (?:nothing|an? \S+ \d+)[^\n]*\n>/);
    const agent = await openAgent(run);
    expect(agent.form.text.observe).toBe('image');
    await agent.dispose();
    const both = await openAgent(whole);
    expect(both.form.text.observe).toBe('both');
    await both.dispose();
  });

  it('by texts alone has no frames', async () => {
    const { folder: run } = await trained('text', { speech: { beams: 1, observe: 'text' } });
    const agent = await openAgent(run);
    const environment = agent.environment([builtinGameAt('builtin:train', 0)]);
    const episode = await environment.begin(environment.tasks[0]!, 'seed');
    expect(episode.first.frames).toEqual([]);
    await agent.dispose();
  });
});

describe('training with sampled answers', () => {
  it('plays other commands than a search finds, and draws the same for the same seed', async () => {
    const played = async (name: string, sampleTemperature: number | null) => {
      const play = { sampleTemperature, expertShare: { start: 0, decay: 1 } };
      const { folder: run } = await trained(name, { play, speech: { beams: 1 } });
      return transitionsOf(run);
    };
    const drawn = await played('drawn', 3);
    expect(await played('again', 3)).toBe(drawn);
    expect(await played('searched', null)).not.toBe(drawn);
  });
});
