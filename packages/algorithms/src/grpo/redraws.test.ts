/** Groups without spread are replaced: which, by what, how often, here and with workers. */
import { parametersOf } from '@emac/core';
import { recordedEpisode, rollout, type Rollout } from '@emac/rollout';
import { describe, expect, it } from 'vitest';
import { grpo } from '../grpo.ts';
import type { AttemptGroups, PlayedAttempt } from './attempts.ts';
import type { AttemptsElsewhere, Playing } from './grpo-run.ts';
import { withRedraws, type Draw } from './redraws.ts';
import { changed, corridors, recorded, seeing, table } from './small-attempts.test.support.ts';

const attempt = (reward: number) => ({ steps: [], reward, rewards: { reward } }) as unknown as PlayedAttempt;

/** Groups of two whose rewards are listed by draw. */
async function replacedIn(rewards: readonly (readonly number[])[], redraws: number | undefined) {
  const asked: Draw[] = [];
  const settings = changed({ play: { promptsPerUpdate: 3, groupSize: 2, redraws } });
  const groups = await withRedraws(settings, (draw): Promise<AttemptGroups> => {
    asked.push(draw);
    const attempts = rewards[draw.draw]!.map(attempt);
    return Promise.resolve({ update: 4, version: 4, groupSize: 2, attempts });
  });
  return { asked, groups };
}

describe('groups whose attempts all earned the same', () => {
  const first = [1, 1, 0, 1, 0, 0];

  it('stay without redraws', async () => {
    const { asked, groups } = await replacedIn([first], undefined);
    expect(asked).toEqual([{ draw: 0, places: [0, 1, 2] }]);
    expect(groups.attempts.map(({ reward }) => reward)).toEqual(first);
    expect(groups).not.toHaveProperty('replaced');
  });

  it('are replaced in their places, until they have spread or the redraws are used up', async () => {
    const { asked, groups } = await replacedIn([first, [3, 3, 2, 5], [4, 4]], 2);
    expect(asked.slice(1)).toEqual([
      { draw: 1, places: [0, 2] },
      { draw: 2, places: [0] },
    ]);
    expect(groups.attempts.map(({ reward }) => reward)).toEqual([4, 4, 0, 1, 2, 5]);
    expect(groups.replaced!.map(({ reward }) => reward)).toEqual([1, 1, 0, 0, 3, 3]);
  });

  it('are not there: nothing is drawn again', async () => {
    const { asked, groups } = await replacedIn([[0, 1, 2, 1, 3, 0]], 5);
    expect(asked).toHaveLength(1);
    expect(groups.replaced).toEqual([]);
  });
});

describe('a run with redraws', () => {
  // pairs: about half of the groups have no spread
  const settings = changed({ play: { updates: 5, groupSize: 2, redraws: 3 } });

  it('counts the steps and the groups that it replaced, and has fewer groups without spread', async () => {
    const plain = recorded(table(), corridors(), {
      settings: changed({ play: { updates: 5, groupSize: 2 } }),
    });
    const played: number[] = [];
    const report: Playing['report'] = (event) => {
      if (event.kind === 'step') played.push(event.number);
    };
    const again = recorded(table(), corridors({ report }), { settings });
    await grpo(plain.run);
    const state = await grpo(again.run);
    expect(state.answers).toBe(played.length);
    const sum = (lines: typeof plain.lines, name: string) =>
      lines.reduce((total, line) => total + (line[name] as number), 0);
    expect(sum(again.lines, 'redrawn_groups')).toBeGreaterThan(0);
    expect(sum(again.lines, 'frac_reward_zero_std')).toBeLessThan(sum(plain.lines, 'frac_reward_zero_std'));
    for (const line of plain.lines) expect(line).not.toHaveProperty('redrawn_groups');
    // in update 0 both play alike, and a group with spread stays
    for (const first of [0, 2, 4]) {
      const [one, other] = plain.attempts.slice(first, first + 2);
      const same = again.attempts[first]!.trajectory.task.id === one!.trajectory.task.id;
      expect(same).toBe(one!.reward !== other!.reward);
    }
  });

  it('resumes from any checkpoint to the same bytes', async () => {
    const policy = table();
    const whole = recorded(policy, corridors(), { settings });
    const state = await grpo(whole.run);
    for (const [at, { parameters, checkpoint }] of whole.stored.entries()) {
      const own = table({ parameters });
      const resumed = recorded(own, corridors(), { settings, resume: checkpoint });
      expect(await grpo(resumed.run)).toEqual(state);
      expect(resumed.lines).toEqual(whole.lines.slice(at));
      expect(parametersOf(own)).toEqual(parametersOf(policy));
    }
  });

  it.each([0, 2])('is the same when workers play: K = %i', async (maxStaleness) => {
    const more = { settings: changed({ optimization: { maxStaleness } }, settings) };
    const here = recorded(table(), corridors(), more);
    const state = await grpo(here.run);
    const asked: string[] = [];
    const elsewhere: AttemptsElsewhere = ({ update, draw, parameters }, { put }) => {
      asked.push(`${update}/${draw}`);
      return {
        labels: true,
        play: async function* (setup: Rollout, attempts) {
          put();
          const own = { ...setup, elsewhere: undefined, policy: seeing(table({ parameters })) };
          for (const [place, each] of (await rollout(own, attempts)).entries())
            yield [place, recordedEpisode(each)];
        },
      };
    };
    const there = recorded(table(), corridors({ elsewhere }), more);
    expect(await grpo(there.run)).toEqual(state);
    expect(there.lines).toEqual(here.lines);
    // every job of a run has a name of its own
    expect(new Set(asked).size).toBe(asked.length);
    expect(asked.some((name) => name.endsWith('/1'))).toBe(true);
  });
});
