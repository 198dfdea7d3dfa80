/** `logging_results` of a run in which the expert acts. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { MetricsLine, ProgressEvent } from '@emac/algorithms';
import { plainHost } from '@emac/opening';
import { expertActs } from '@emac/rollout';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../temporary-folder.test.support.ts';
import { train } from '../training/train.ts';
import { readResults } from './published-logs-folder.ts';
import { publishedLogs } from './published-logs-run.ts';
import { microStepText, runningLogStart, trainingStart } from './published-logs.ts';

const out = temporaryFolder();

describe('the published logs of a run', () => {
  it('keep their micro-steps on resume, and have one line for an update without them', () => {
    const [folder, results] = [join(out, 'resumed'), join(out, 'resumed', 'logs')];
    mkdirSync(results, { recursive: true });
    const metrics = [4, 3].map((samples, update) => {
      return { v: 1, kind: 'update', phase: 'bc', round: 0, update, lr: 0.5, loss: 1.5, samples };
    });
    writeFileSync(join(folder, 'metrics.jsonl'), metrics.map((line) => `${JSON.stringify(line)}\n`).join(''));
    const microStep = (iteration: number, loss: number) =>
      microStepText({ lr: 0.25, measures: { loss } }, { round: 0, iteration });
    const [first, second, fourth, fifth] = [
      microStep(0, 1),
      microStep(1, 2),
      microStep(3, 3),
      microStep(4, 4),
    ];
    // the third was lost: it and the fourth are the second update; the fifth is after the checkpoint
    writeFileSync(join(results, 'running_nb01.log'), [first, second, fourth, fifth].join(''));
    const policy = { groups: [] };
    const microStepsOf = ({ samples }: MetricsLine) => Math.ceil(Number(samples) / 2);
    const nothingPlayed = { games: [], memories: [], episodesPerUpdate: 1, state: null, now: () => 0 };
    publishedLogs({
      ...nothingPlayed,
      run: { folder, results, syncs: () => {} },
      microStepsOf,
      policy,
    }).close();
    const ofUpdate = microStepText({ lr: 0.5, measures: { loss: 1.5 } }, { round: 0, iteration: 3 });
    expect(readFileSync(join(results, 'running_nb01.log'), 'utf8')).toBe(
      [runningLogStart(policy), trainingStart, first, second, ofUpdate].join(''),
    );
  });

  it('do not begin anew where the results of the round before cannot be read', () => {
    const folder = join(out, 'damaged');
    const file = join(folder, 'env_results_trial_0.json');
    expect(readResults(folder, 0)).toBeNull();
    mkdirSync(folder);
    writeFileSync(file, '{"env_0": ');
    expect(() => readResults(folder, 0)).toThrow(`${file}: must have the results of round 0 as JSON`);
    rmSync(file);
    mkdirSync(file);
    expect(() => readResults(folder, 0)).toThrow(`cannot read ${file}`);
  });

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
        evaluation: { episodes: 0 },
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
