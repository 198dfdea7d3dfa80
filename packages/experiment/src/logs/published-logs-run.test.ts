/** `logging_results` of a run in which the expert acts. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ProgressEvent } from '@emac/algorithms';
import { plainHost } from '@emac/opening';
import { expertActs } from '@emac/rollout';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../temporary-folder.test.support.ts';
import { train } from '../training/train.ts';

const out = temporaryFolder();

describe('the published logs of a run', () => {
  it('do not count a game that the expert has won', async () => {
    const ends: ProgressEvent[] = [];
    const listener = {
      training: (event: ProgressEvent) => void (event.kind === 'episode-end' && ends.push(event)),
    };
    const { folder } = await train(
      {
        phase: 'bc',
        out,
        play: { rounds: 1, gamesPerRound: 1, expertShare: expertActs },
        optimization: { updatesPerEpisode: 0 },
        speech: { beams: 1 },
        probe: false,
        evaluation: { games: 0 },
      },
      plainHost({ listener }),
    );
    expect(ends).toMatchObject([{ won: false, expertWon: true, trajectory: { won: true } }]);
    const read = (name: string) => readFileSync(join(folder, 'logging_results', name), 'utf8');
    const results = JSON.parse(read('env_results_trial_0.json')) as object;
    expect(results).toMatchObject({ env_0: { is_success: false, path_length: 0 } });
    expect(read('world.log')).toContain('SUCCESS: 0\nADDITIONAL SUCCESS: 0\nFAIL: 1\n');
    const trial = read('trial_0.log');
    expect(trial).toContain('STATUS: FAIL');
    expect(trial).not.toContain('Success');
  });
});
