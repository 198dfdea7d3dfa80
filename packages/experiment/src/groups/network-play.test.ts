/** GRPO of small networks: started, stopped, resumed, evaluated, and refused where they cannot act. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onFailpoint } from '@emac/files';
import { loadEnvironmentModule, plainHost, type GivenEnvironment } from '@emac/opening';
import type { GivenGrpoConfig } from '@emac/settings';
import { alsoLong } from '@emac/testing';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { resume } from '../methods.ts';
import { trainGrpo } from '../grpo/train-grpo.ts';
import { doors } from '../networks/doors.test.support.ts';
import { evaluatedSteps } from '../evaluation/evaluated-steps.test.support.ts';
import { contentOf } from '../reinforcement/run-content.test.support.ts';
import { trainPpo } from '../reinforcement/train-ppo.ts';
import { temporaryFolder } from '../temporary-folder.test.support.ts';

const folder = temporaryFolder();
const env = join(folder, 'doors.mjs');

const short = {
  env,
  policy: 'mlp',
  play: { updates: 20, promptsPerUpdate: 4, groupSize: 8 },
  evaluation: { episodes: 4 },
  checkpointEvery: 5,
} as const satisfies GivenGrpoConfig;

let environment: GivenEnvironment;
beforeAll(async () => {
  writeFileSync(env, doors);
  environment = await loadEnvironmentModule(env);
});
afterEach(() => onFailpoint(null));

describe.each(['group', ...alsoLong(['steps', 'history'] as const)] as const)(
  'a perceptron with advantages of kind %s',
  (advantages) => {
    it('learns from groups by reward alone, resumes to the same bytes, and is evaluated by its run', async () => {
      const given = { ...short, losses: { advantages } };
      const whole = await trainGrpo(
        { ...given, out: join(folder, advantages) },
        { ...plainHost(), environment },
      );
      // by chance one episode in four is won
      expect(whole.after).toMatchObject({ success: 1, mean_steps: 2 });

      const out = join(folder, `${advantages}-stopped`);
      const stop = new AbortController();
      let updates = 0;
      onFailpoint((name) => {
        if (name === 'updating' && ++updates === 7) stop.abort();
      });
      const stopped = trainGrpo({ ...given, out }, { ...plainHost({ signal: stop.signal }), environment });
      await expect(stopped).rejects.toMatchObject({ code: 'interrupted' });
      onFailpoint(null);
      const run = join(out, readdirSync(out)[0]!);
      await resume(run, { ...plainHost(), environment });
      expect(contentOf(run)).toEqual(contentOf(whole.folder));

      const asked = { env, ckpt: whole.folder, numGames: 4 };
      const { result } = await evaluatedSteps(asked, { ...plainHost(), environment });
      expect(result).toMatchObject({ success: 1, mean_steps: 2 });
    });
  },
);

describe('a small network', () => {
  it('continues by PPO what GRPO began, and the other way', async () => {
    const host = { ...plainHost(), environment };
    const first = await trainGrpo({ ...short, out: join(folder, 'first') }, host);
    const play = { environments: 2, environmentSteps: 4, stepsPerUpdate: 2 };
    const evaluation = { episodes: 4 };
    const given = { env, policy: 'mlp', play, evaluation, init: first.folder, out: join(folder, 'then') };
    const then = await trainPpo(given, host);
    expect(then.before!.success).toBe(1);
    const last = await trainGrpo({ ...short, init: then.folder, out: join(folder, 'last') }, host);
    expect(last.before!.success).toBe(then.after!.success);
  });

  it('from a file is named in checkpoints as typed, also after a resume', async () => {
    const exported = new URL('../../../small-networks/fixtures/actor.onnx', import.meta.url);
    const path = relative('.', fileURLToPath(exported));
    const play = { updates: 2, promptsPerUpdate: 2, groupSize: 4, maxSteps: 6 };
    const numbers = { env: 'gym_cards/NumberLine-v0', policy: path, play, checkpointEvery: 1 };
    const given = { ...numbers, evaluation: { episodes: 0 } };
    const whole = await trainGrpo({ ...given, out: join(folder, 'file') });
    const stop = new AbortController();
    onFailpoint((name) => void (name === 'updating' && stop.abort()));
    const out = join(folder, 'file-stopped');
    const stopped = trainGrpo({ ...given, out }, plainHost({ signal: stop.signal }));
    await expect(stopped).rejects.toMatchObject({ code: 'interrupted' });
    onFailpoint(null);
    const run = join(out, readdirSync(out)[0]!);
    await resume(run);
    expect(contentOf(run)).toEqual(contentOf(whole.folder));
  });

  it.each(['mlp', 'cnn'])('acts in numbered environments too: %s', async (path) => {
    const play = { updates: 1, promptsPerUpdate: 2, groupSize: 2, maxSteps: 3 };
    const losses = { advantages: 'steps' } as const;
    const given = { env: 'MiniGrid-Empty-5x5-v0', policy: path, play, losses, evaluation: { episodes: 1 } };
    const { folder: run, outcome, config } = await trainGrpo({ ...given, out: join(folder, path) });
    // all attempts begin in the same place, seen in arrays or in a picture
    const [name] = readdirSync(join(run, 'attempts'));
    const recorded = readFileSync(join(run, 'attempts', name!), 'utf8');
    // the first step of both attempts of the group
    expect(Number(/"sameState":(\d+)/.exec(recorded)![1])).toBeGreaterThan(1);
    // four attempts of three steps: the goal of this room is five steps away
    expect(outcome).toMatchObject({ update: 1, answers: 12 });
    expect(config.losses.beta).toBe(0);
  });
});
