/** Training on labels of a person, who here says what the scripted player would. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { resume, train } from '@emac/experiment';
import { readJournal } from '@emac/files';
import { openKind, plainHost, type Person, type ShownStep } from '@emac/opening';
import { describe, expect, it } from 'vitest';
import { emac, temporaryFolder } from '../captured-io.test.fixture.ts';
import { copiedAt, runKilledAt } from '../killed-runs.test.fixture.ts';

const folder = temporaryFolder();
const env = 'MiniGrid-Empty-Random-5x5-v0';

/** Says what the scripted player would, and remembers what it was asked. */
async function scriptedPerson() {
  const { player } = await openKind({ env, maxSteps: null }, null);
  const asked: ShownStep[] = [];
  const person: Person = {
    async ask(shown) {
      asked.push(shown);
      const { task: id, history, admissible } = shown;
      const request = { task: { id, type: null }, history: history!, memories: [], admissible };
      const label = await player!.label(request);
      return label.kind === 'action' ? label.command : null;
    },
    tell: () => {},
  };
  return { person, asked };
}

const config = (out: string) =>
  ({
    phase: 'bc',
    env,
    policy: 'mlp',
    out,
    expert: { kind: 'human' },
    play: { rounds: 2, gamesPerRound: 2, expertShare: { start: 0, decay: 1 }, maxSteps: 6 },
    optimization: { updatesPerEpisode: 2, batchSize: 4 },
    evaluation: { episodes: 0 },
  }) as const;

const stateOf = ({ task, history }: ShownStep) =>
  JSON.stringify([task, history!.turns.map(({ command }) => command)]);

describe('a person as expert', () => {
  it('is shown the picture and the policy’s choice, and asked once about a state', async () => {
    const { person, asked } = await scriptedPerson();
    await train(config(join(folder, 'asked')), { ...plainHost(), person });
    expect(asked.length).toBeGreaterThan(4);
    for (const { frames, admissible, choice } of asked) {
      expect(frames).toHaveLength(1);
      expect(admissible).toContain(await choice);
    }
    expect(new Set(asked.map(stateOf)).size).toBe(asked.length);
  });

  it('is not asked again after a kill, and the run ends with the same bytes', async () => {
    const first = await scriptedPerson();
    const { folder: undisturbed } = await copiedAt(['acting:9'], {
      out: join(folder, 'killed'),
      copies: join(folder, 'copies'),
      work: () => train(config(join(folder, 'killed')), { ...plainHost(), person: first.person }),
    });
    const killed = runKilledAt('acting:9', join(folder, 'copies'));
    const kept = readJournal(join(killed, 'labels.jsonl')).length;
    expect(kept).toBeGreaterThan(0);
    const second = await scriptedPerson();
    await resume(killed, { ...plainHost(), person: second.person });
    expect(second.asked.length).toBe(first.asked.length - kept);
    const bytes = (run: string) => readFileSync(join(run, 'metrics.jsonl'), 'utf8');
    expect(bytes(killed)).toBe(bytes(undisturbed));
  });

  it('raises by corrections a policy that loses some games, with the default numbers of dpo', async () => {
    const common = { env, policy: 'mlp', seed: 0, out: join(folder, 'corrected') } as const;
    const play = {
      rounds: 1,
      gamesPerRound: 2,
      episodesPerUpdate: 1,
      expertShare: { start: 1, decay: 0 },
      maxSteps: 20,
    };
    const optimization = { updatesPerEpisode: 16, batchSize: 16, learningRate: 1e-2 };
    const none = { episodes: 0 };
    const weak = await train({ ...common, phase: 'bc', play, optimization, evaluation: none }, plainHost());
    const { person } = await scriptedPerson();
    const asked = {
      ...common,
      phase: 'dpo',
      expert: { kind: 'human' },
      start: { ref: weak.folder },
      play: { maxSteps: 20 },
      evaluation: { episodes: 20 },
    } as const;
    const { before, after } = await train(asked, { ...plainHost(), person });
    // five games a round, without pairs where both agree, ended at 0.16 of 50 games
    expect(before!.success).toBeLessThan(0.9);
    expect(after!.success).toBeGreaterThan(before!.success!);
  });

  it('types labels where there is no page, and is needed', async () => {
    const words = ['train', '--phase', 'bc', '--env', env, '--policy', 'mlp', '--expert', 'human', '--quiet'];
    const few = ['--rounds', '1', '--games-per-round', '1', '--max-steps', '2', '--eval-games', '0'];
    const asked = [...words, ...few, '--out', join(folder, 'typed')];
    // both states of the one game, whatever is done at the first
    const typed = await emac(asked, { stdin: 'move forward\nmove forward\n' });
    expect([typed.status, typed.stderr]).toEqual([0, expect.stringContaining('actions: ')]);
    const stopped = await emac([...asked.slice(0, -1), join(folder, 'stopped')], { stdin: '' });
    expect([stopped.status, stopped.stderr]).toEqual([75, expect.stringContaining('what was said is kept')]);
    await expect(train(config(join(folder, 'nobody')))).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining('add --page') as string,
    });
    const other = await emac(['train', '--phase', 'bc', '--page']);
    expect([other.status, other.stderr]).toEqual([64, expect.stringContaining('--expert human')]);
  });
});
