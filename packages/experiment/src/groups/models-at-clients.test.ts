/** Language models in an environment that only its clients know: imitation with an expert, attempts rewarded in groups. */
import { join } from 'node:path';
import type { GivenExpert, Host } from '@emac/opening';
import { describe, expect, it } from 'vitest';
import { evaluatePolicy } from '../evaluation/evaluate-policy.ts';
import { trainGrpo } from '../grpo/train-grpo.ts';
import { describedDoors, doors, withClients } from '../reinforcement/described-clients.test.support.ts';
import { temporaryFolder } from '../temporary-folder.test.support.ts';
import { train } from '../training/train.ts';

const folder = temporaryFolder();
const env = 'remote/Doors-v0';
const world = { kind: 'http', port: 0, clients: 2 } as const;
const host = (): Host => withClients(doors(2), describedDoors, 2);

/** Says the door that is shown. */
const expert: GivenExpert = {
  name: 'a test',
  sha256: '0'.repeat(64),
  label: ({ history }) => (history.initial.includes('behind 0') ? 'left' : 'right'),
};

describe('a language model with clients', () => {
  it('imitates an expert, is evaluated, and goes on by reward', async () => {
    const bc = await train(
      {
        phase: 'bc',
        env,
        world,
        expert: { kind: 'module' },
        play: { rounds: 1, gamesPerRound: 2, expertShare: { start: 1, decay: 1 } },
        optimization: { updatesPerEpisode: 1, batchSize: 1 },
        samples: { trainAfter: 'every-episode' },
        speech: { maxLength: 8 },
        // more than there are clients
        evaluation: { episodes: 3 },
        out: join(folder, 'bc'),
      },
      { ...host(), expert },
    );
    // held-out seeds are odd
    const ids = [`${env}/1`, `${env}/3`, `${env}/5`];
    expect(bc.after!.games.map(({ id }) => id)).toEqual(ids);
    const evaluated = await evaluatePolicy(
      { ckpt: bc.folder, world, numGames: 3, maxSteps: 2, out: null },
      host(),
    );
    expect(evaluated).toMatchObject({ kind: 'games', result: { games: ids.map((id) => ({ id })) } });

    const grpo = await trainGrpo(
      {
        env,
        world,
        init: bc.folder,
        play: { updates: 1, promptsPerUpdate: 2, groupSize: 2, maxSteps: 2 },
        losses: { maxLength: 8 },
        trained: { rank: 2 },
        evaluation: { episodes: 3 },
        out: join(folder, 'grpo'),
      },
      host(),
    );
    expect(grpo.after!.games.map(({ id, steps }) => [id, steps])).toEqual(ids.map((id) => [id, 2]));
  });
});
