/** Several episodes per policy version changes learning; several concurrent episodes changes nothing. */
import { fetchExpert, numbersOf } from '@emac/testing';
import { describe, expect, it } from 'vitest';
import type { StoredCheckpoint } from './dagger-state.ts';
import type { EpisodeOf, ProgressEvent } from './progress.ts';
import type { Phase } from './methods/list.ts';
import { beginner, knowing, ofKind, told, trainSmall, type SmallRun } from './small-runs.test.support.ts';

interface Grouped extends SmallRun {
  readonly episodesPerUpdate: number;
  readonly parallel: number;
}

/** The actor is random, episodes differ in length, and both phases have data to learn from. */
async function trained({ episodesPerUpdate, parallel, ...asked }: Grouped) {
  const saved: StoredCheckpoint[] = [];
  const small = await trainSmall({
    samples: { agreed: 'random' },
    ...asked,
    play: { rounds: 2, expertShare: { start: 0.5, decay: 0.5 }, episodesPerUpdate, ...asked.play },
    run: { parallel, ...asked.run },
    checkpoint: (at) => void saved.push(structuredClone(at)),
  });
  const { state, lines, transitions, policy, events } = small;
  return { ...small, result: { state, lines, transitions, parameters: numbersOf(policy), saved }, events };
}

const phases: readonly Phase[] = ['bc', 'dpo'];
const groupSizes = [1, 2, 3];

describe('episodes under way at once', () => {
  it.each(phases.flatMap((phase) => groupSizes.map((size) => [phase, size] as const)))(
    'change no event, sample, weight or saved state, whatever their number (%s, groups of %i)',
    async (phase, episodesPerUpdate) => {
      const { result } = await trained({ phase, episodesPerUpdate, parallel: 1 });
      expect(result.lines.length).toBeGreaterThan(10);
      for (const parallel of [2, 3, 5])
        expect((await trained({ phase, episodesPerUpdate, parallel })).result).toEqual(result);
    },
  );

  it('are really under way at once: their commands are decided together', async () => {
    const most = async (episodesPerUpdate: number, parallel: number) => {
      const policy = beginner();
      await trained({ episodesPerUpdate, parallel, policy });
      return Math.max(...policy.calls.filter(({ method }) => method === 'decide').map(({ rows }) => rows));
    };
    expect([await most(3, 3), await most(3, 2), await most(2, 3), await most(1, 3)]).toEqual([3, 2, 2, 1]);
  });

  it('ask for their labels concurrently', async () => {
    const expert = fetchExpert();
    let [now, most] = [0, 0];
    const counting: typeof expert = {
      ...expert,
      label: async (request) => {
        most = Math.max(most, ++now);
        await new Promise((resolve) => setImmediate(resolve));
        now--;
        return expert.label(request);
      },
    };
    await trained({ episodesPerUpdate: 3, parallel: 3, run: { parallel: 3, expert: counting } });
    expect(most).toBe(3);
  });
});

describe('events of episodes under way at once', () => {
  const isOfEpisode = (event: ProgressEvent): event is ProgressEvent & EpisodeOf => 'episode' in event;

  it("interleave events, but keep each episode's order", async () => {
    const [one, three] = [
      await trained({ episodesPerUpdate: 3, parallel: 1 }),
      await trained({ episodesPerUpdate: 3, parallel: 3 }),
    ];
    const mixed = three.events.filter(isOfEpisode);
    for (let episode = 0; episode < 6; episode++) {
      const own = (events: readonly ProgressEvent[]) =>
        events.filter((event) => isOfEpisode(event) && event.episode === episode);
      const events = own(mixed);
      expect(events).toEqual(own(one.events));
      expect(events.map(({ kind }) => kind)).toEqual([
        'episode-start',
        ...Array(events.length - 2).fill('step'),
        'episode-end',
      ]);
    }
    // the second episode begins before the first one ends
    expect(mixed.slice(0, 3).map(({ kind, episode }) => [kind, episode])).toEqual([
      ['episode-start', 0],
      ['episode-start', 1],
      ['episode-start', 2],
    ]);
    const stepsOf = mixed.filter(({ kind }) => kind === 'step').map(({ episode }) => episode);
    expect(stepsOf).not.toEqual(stepsOf.toSorted());
  });

  it('name the episode, its place in the list and its task', async () => {
    const { events } = await trained({ episodesPerUpdate: 3, parallel: 3 });
    for (const { round, episode, place, taskId } of events.filter(isOfEpisode))
      expect([round, place, taskId]).toEqual([
        Math.floor(episode / 3),
        episode % 3,
        `fetch/${'abc'[episode % 3]}`,
      ]);
  });

  it('report ends in order when all are over, even if a later one ends first', async () => {
    // b is won in two commands, a and c are given up after four
    const { events } = await trained({
      episodesPerUpdate: 3,
      parallel: 3,
      policy: knowing('b'),
      play: { rounds: 1, expertShare: { start: 0, decay: 1 } },
    });
    const ends = told(events, 'episode-end').map(({ episode, won, steps }) => [episode, won, steps]);
    expect(ends).toEqual([
      [0, false, 4],
      [1, true, 2],
      [2, false, 4],
    ]);
    const last = events.findLastIndex(({ kind }) => kind === 'step');
    expect(events.slice(last + 1, last + 4).map(({ kind }) => kind)).toEqual(Array(3).fill('episode-end'));
  });
});

describe('a group of episodes', () => {
  it('changes learning by its size', async () => {
    const parameters = await Promise.all(
      groupSizes.map(
        async (size) => (await trained({ episodesPerUpdate: size, parallel: 1 })).result.parameters,
      ),
    );
    expect(parameters[1]).not.toEqual(parameters[0]);
    expect(parameters[2]).not.toEqual(parameters[1]);
    expect(parameters[2]).not.toEqual(parameters[0]);
  });

  it.each([
    [1, 1, ['a', 'b', 'c']],
    [2, 1, ['ab', 'c']],
    [2, 2, ['ab', 'c']],
    [3, 2, ['abc']],
  ])(
    'of %i is played by one version of the policy, %i at once',
    async (episodesPerUpdate, parallel, round) => {
      const policy = beginner();
      const versions = new Map<string, Set<string>>();
      const spied: typeof policy = {
        ...policy,
        decide: (questions, sampling) => {
          const version = JSON.stringify(numbersOf(policy));
          const tasks = versions.get(version) ?? new Set();
          for (const { prompt } of questions)
            for (const part of prompt) if (part.kind === 'text') tasks.add(/want-(.)/.exec(part.text)![1]!);
          versions.set(version, tasks);
          return policy.decide(questions, sampling);
        },
      };
      await trained({ episodesPerUpdate, parallel, policy: spied });
      // an earlier policy version never returns: every group has its own
      expect([...versions.values()].map((tasks) => [...tasks].join(''))).toEqual([...round, ...round]);
    },
  );

  it('is followed by the updates of all its episodes, each made for one of them', async () => {
    const { events } = await trained({
      episodesPerUpdate: 2,
      parallel: 2,
      optimization: { updatesPerEpisode: 2 },
      play: { rounds: 1 },
    });
    const order = events.flatMap((event) => {
      if (event.kind === 'episode-end') return [`${event.taskId} over`];
      return event.kind === 'update'
        ? [`${event.line.update as number} for ${event.line['game'] as string}`]
        : [];
    });
    expect(order).toEqual([
      ...['fetch/a over', 'fetch/b over'],
      ...['0 for fetch/a', '1 for fetch/a', '2 for fetch/b', '3 for fetch/b'],
      ...['fetch/c over', '4 for fetch/c', '5 for fetch/c'],
    ]);
  });

  it('has no updates for an episode that is not learned from, wherever it stands', async () => {
    const { lines } = await trained({
      episodesPerUpdate: 3,
      parallel: 1,
      policy: knowing('a', 'b'),
      play: { rounds: 1, expertShare: { start: 0, decay: 1 } },
      samples: { trainAfter: 'failed-episodes' },
      optimization: { updatesPerEpisode: 2 },
    });
    expect(ofKind(lines, 'update').map(({ game, episode }) => [game, episode])).toEqual([
      ['fetch/c', 2],
      ['fetch/c', 2],
    ]);
  });

  it('is saved at these points: before the first, between two and after each round', async () => {
    const { result } = await trained({ episodesPerUpdate: 2, parallel: 1 });
    expect(result.saved.map(({ state, isExtra }) => [state.round, state.done, isExtra])).toEqual([
      [0, 0, false],
      [0, 2, false],
      [1, 0, false],
      [1, 2, false],
      [2, 0, false],
    ]);
  });
});
