/** Rounds that play a chosen part of their list. */
import { EmacError } from '@emac/core';
import { numbersOf } from '@emac/testing';
import { describe, expect, it } from 'vitest';
import type { TaskChoice } from './dagger-run.ts';
import type { StoredCheckpoint } from './dagger-state.ts';
import { knowing, setParameters, trainSmall, type SmallRun } from './small-runs.test.support.ts';

interface Heard {
  readonly asked: string[][];
  readonly drawn: number[];
  readonly told: string[];
}

/** Draws uniformly, and records its calls in its numbers and state. */
function choosing(perRound: number): TaskChoice & Heard {
  let wins = 0;
  const [asked, drawn, told]: [string[][], number[], string[]] = [[], [], []];
  return {
    asked,
    drawn,
    told,
    perRound,
    pick(tasks, random) {
      asked.push(tasks.map(({ id }) => id));
      // depends on earlier wins, as in a curriculum
      const place = (random.integer(tasks.length) + wins) % tasks.length;
      drawn.push(place);
      return place;
    },
    ended(task, won) {
      told.push(`${task.id} ${won}`);
      wins += won ? 1 : 0;
    },
    measures: () => ({ wins }),
    state: () => ({ wins }),
    restore: (state) => ({ wins } = state as { wins: number }),
  };
}

const asked = (choice: TaskChoice, more: SmallRun = {}): SmallRun => ({
  play: { rounds: 4, episodesPerUpdate: 1, ...more.play },
  policy: knowing('a'),
  ...more,
  run: { choice, ...more.run },
});

describe('a round of chosen tasks', () => {
  it('plays so many, none twice, from those left at each choice', async () => {
    const choice = choosing(2);
    const { events, lines } = await trainSmall(asked(choice));
    const played = events.flatMap((event) => (event.kind === 'episode-start' ? [event] : []));
    const byRound = [0, 1, 2, 3].map((round) => played.filter((each) => each.round === round));
    for (const round of byRound) expect(new Set(round.map(({ taskId }) => taskId)).size).toBe(2);
    expect(choice.asked.map(({ length }) => length)).toEqual([3, 2, 3, 2, 3, 2, 3, 2]);
    const drawn = choice.asked.map((among, turn) => among[choice.drawn[turn]!]);
    expect(played.map(({ taskId }) => taskId)).toEqual(drawn);
    // its own outcome, before the next is drawn
    expect(choice.told.map((each) => each.split(' ')[0])).toEqual(drawn);
    const rounds = lines.filter(({ kind }) => kind === 'round');
    expect(rounds.map(({ played: count }) => count)).toEqual([2, 2, 2, 2]);
    const won = choice.told.map((each, turn) => (each.endsWith('true') ? Math.floor(turn / 2) : -1));
    expect(rounds.map(({ wins }) => wins)).toEqual(
      [0, 1, 2, 3].map((round) => won.filter((each) => each >= 0 && each <= round).length),
    );
  });

  it('draws a whole group before any of its results, and skips solved tasks', async () => {
    const choice = choosing(3);
    const { events } = await trainSmall(
      asked(choice, { play: { rounds: 2, episodesPerUpdate: 2, skipSolved: true } }),
    );
    const [first] = choice.told.filter((each) => each.endsWith('true'));
    const solved = choice.told.filter((each) => each.endsWith('true')).map((each) => each.split(' ')[0]);
    expect(first).toBeDefined();
    const later = events.flatMap((event) =>
      event.kind === 'episode-start' && event.round === 1 ? [event.taskId] : [],
    );
    const inFirst = choice.told.slice(0, 3).filter((each) => each.endsWith('true')).length;
    expect(later).toHaveLength(3 - inFirst);
    expect(later.filter((id) => solved.slice(0, inFirst).includes(id))).toEqual([]);
    expect(events.some(({ kind }) => kind === 'episode-skipped')).toBe(false);
  });

  it('resumes from every checkpoint with the same draws', async () => {
    const kept: {
      checkpoint: StoredCheckpoint;
      transitions: Parameters<NonNullable<SmallRun['checkpoint']>>[1];
      parameters: number[][];
    }[] = [];
    const play = { rounds: 3, episodesPerUpdate: 1 };
    const policy = knowing('a');
    const whole = await trainSmall(
      asked(choosing(2), {
        play,
        policy,
        checkpoint: (checkpoint, transitions) =>
          kept.push({
            checkpoint: structuredClone(checkpoint),
            transitions: [...transitions],
            parameters: numbersOf(policy),
          }),
      }),
    );
    const playedIn = (events: (typeof whole)['events']) =>
      events.flatMap((event) => (event.kind === 'episode-start' ? [`${event.round} ${event.taskId}`] : []));
    const all = playedIn(whole.events);
    expect(kept.length).toBeGreaterThan(5);
    for (const { checkpoint, transitions, parameters } of kept) {
      const again = knowing('a');
      setParameters(again, parameters);
      const { events, state } = await trainSmall(
        asked(choosing(2), {
          play,
          policy: again,
          transitions,
          run: { choice: choosing(2), resume: checkpoint },
        }),
      );
      expect(playedIn(events)).toEqual(all.slice(checkpoint.state.episodes));
      expect(state).toEqual(whole.state);
    }
  });

  it('does not resume a run that plays all tasks, nor the reverse', async () => {
    let last: StoredCheckpoint | null = null;
    const checkpoint = (each: StoredCheckpoint) => void (last = structuredClone(each));
    await trainSmall({ policy: knowing('a'), play: { rounds: 1 }, checkpoint });
    const resume = last!;
    const begun = trainSmall(asked(choosing(2), { run: { choice: choosing(2), resume } }));
    await expect(begun).rejects.toThrow(EmacError);
    await expect(begun).rejects.toThrow(/its tasks were not chosen by earlier results, the run's are chosen/);
  });
});
