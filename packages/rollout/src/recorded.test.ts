import { EmacError, LostEpisode, type Expert, type Trajectory } from '@emac/core';
import { fetchExpert, fetching } from '@emac/testing';
import { describe, expect, it } from 'vitest';
import type { Attempt, Elsewhere, RecordedEpisode, Rollout, RolloutEvent } from './attempt.ts';
import { recordedEpisode } from './recorded.ts';
import { rollout } from './rollout.ts';
import { answering, attemptsAt, fetchesA, setup } from './setups.test.support.ts';

const ids = ['fetch/a', 'fetch/b', 'fetch/c'];

/** Plays each attempt by itself, as a worker does, and returns the last one first. */
function played(theirs: Rollout, sent: Attempt[] = []): Elsewhere {
  return coming(async function* (_setup, attempts) {
    for (const [place, attempt] of [...attempts.entries()].reverse()) {
      sent.push({ ...attempt, made: [...attempt.made] });
      const [trajectory] = await rollout(theirs, [{ ...attempt, made: [...attempt.made] }]);
      yield [place, recordedEpisode(trajectory!)];
    }
  });
}

function coming(play: Elsewhere['play']): Elsewhere {
  return { play, labels: true };
}

/** Events by attempt and in order, since events of several attempts interleave. */
async function toldBy(parts: Rollout, attempts: readonly Attempt[]) {
  const events: RolloutEvent[] = [];
  const trajectories = await rollout({ ...parts, report: (event) => void events.push(event) }, attempts);
  const eventsOf = ({ number }: Attempt) => events.filter((event) => event.number === number);
  return { trajectories, events: attempts.map(eventsOf) };
}

/** Replaying a recorded episode asks nobody. */
const nobody = {
  policy: {
    encode: answering(fetchesA).policy.encode,
    decide: () => Promise.reject(new Error('the policy was asked')),
  },
  expert: { label: () => Promise.reject(new Error('the expert was asked')) } satisfies Expert,
};

/** An environment that fails at a command, or at reset. */
function failing(command: string | null): Rollout['environment'] {
  const environment = fetching();
  return {
    ...environment,
    async begin(...asked) {
      if (command === null) throw new LostEpisode('no door');
      const episode = await environment.begin(...asked);
      const step: typeof episode.step = async (action) => {
        if (action === command) throw new LostEpisode(`broke at ${action}`);
        return episode.step(action);
      };
      return { ...episode, step };
    },
  };
}

const situations: Readonly<Record<string, Partial<Rollout>>> = {
  'of the policy alone': {},
  'with labels': { expert: fetchExpert() },
  'in circles': { policy: answering(() => 'go c').policy, stopRepeating: true },
  'of the expert alone': { expert: fetchExpert(), asksPolicy: false },
  'that end without a label': {
    expert: { label: () => Promise.resolve({ kind: 'unusable', reason: 'no' }) },
    asksPolicy: false,
  },
  'that are lost on the way': { environment: failing('take a') },
  'that are lost at once': { environment: failing(null) },
};

describe('episodes played on workers', () => {
  it.each(Object.entries(situations))('%s are reported as if played here', async (_name, parts) => {
    const expertShare = parts.asksPolicy === false ? 1 : 0.5;
    const here = await toldBy(setup({ parallel: 3, ...parts }), attemptsAt(ids, { expertShare }));
    const environment = { ...fetching(), begin: () => Promise.reject(new Error('a world was begun')) };
    const expert = parts.expert ? nobody.expert : null;
    const there = setup({ ...parts, ...nobody, expert, environment, elsewhere: played(setup(parts)) });
    expect(await toldBy(there, attemptsAt(ids, { expertShare }))).toEqual(here);
    expect(here.events.every((events) => events.length >= 2)).toBe(true);
  });

  it('are reported after a JSON round trip too, and leave their steps with the attempt', async () => {
    const asJson = coming(async function* (...asked) {
      for await (const [place, episode] of played(setup()).play(...asked))
        yield [place, JSON.parse(JSON.stringify(episode)) as RecordedEpisode];
    });
    const attempts = [attemptsAt(ids), attemptsAt(ids)] as const;
    const here = await rollout(setup(), attempts[0]);
    expect(await rollout(setup({ ...nobody, expert: null, elsewhere: asJson }), attempts[1])).toEqual(here);
    expect(attempts[1].map(({ made }) => made)).toEqual(attempts[0].map(({ made }) => made));
  });

  it('continue from the steps made here', async () => {
    const whole = attemptsAt(['fetch/b']);
    const here = await rollout(setup(), whole);
    const begun = attemptsAt(['fetch/b'], { made: whole[0]!.made.slice(0, 2) });
    const sent: Attempt[] = [];
    expect(
      await rollout(setup({ ...nobody, expert: null, elsewhere: played(setup(), sent) }), begun),
    ).toEqual(here);
    expect(sent[0]!.made).toHaveLength(2);
    expect(begun[0]!.made).toEqual(whole[0]!.made);
  });

  it('are refused if they began differently here', async () => {
    const made = attemptsAt(['fetch/a']);
    await rollout(setup({ policy: answering(() => 'go b').policy }), made);
    const begun = attemptsAt(['fetch/a'], { made: made[0]!.made.slice(0, 1) });
    const episode = recordedEpisode((await rollout(setup(), attemptsAt(['fetch/a'])))[0]!);
    const elsewhere = coming(async function* () {
      yield [0, episode];
    });
    await expect(rollout(setup({ elsewhere }), begun)).rejects.toMatchObject({
      code: 'data',
      message: expect.stringContaining('"go b" before the interruption and "go a" on the worker') as string,
    });
  });

  it('must each come back exactly once', async () => {
    const episode = recordedEpisode((await rollout(setup(), attemptsAt(['fetch/a'])))[0]!);
    const places = (...come: readonly number[]): Elsewhere =>
      coming(async function* () {
        for (const place of come) yield [place, episode];
      });
    const ofBoth = () => attemptsAt(['fetch/a', 'fetch/a']);
    for (const [come, message] of [
      [[0], /attempt 1 was not played/],
      [[0, 0], /attempt 0 does not exist or came back twice/],
      [[2], /attempt 2 does not exist or came back twice/],
    ] as const)
      await expect(rollout(setup({ elsewhere: places(...come) }), ofBoth())).rejects.toThrow(message);
  });

  it('end if a listener throws', async () => {
    let isClosed = false;
    const elsewhere = coming(async function* (...asked) {
      try {
        yield* played(setup()).play(...asked);
      } finally {
        isClosed = true;
      }
    });
    const report = () => Promise.reject(new Error('disk full'));
    await expect(rollout(setup({ elsewhere, report }), attemptsAt(ids))).rejects.toThrow('disk full');
    expect(isClosed).toBe(true);
  });
});

describe('episodes played on workers and labelled by the trainer', () => {
  const unlabelled = (sent: Attempt[] = []): Elsewhere => {
    return { ...played(setup({ environment: fetching() }), sent), labels: false };
  };
  const there = (parts: Partial<Rollout>) =>
    setup({ policy: nobody.policy, parallel: 3, elsewhere: unlabelled(), ...parts });

  it('ask, report and keep the same as episodes played here', async () => {
    const [one, other] = [fetchExpert(), fetchExpert()];
    const [here, elsewhere] = [attemptsAt(ids), attemptsAt(ids)];
    const told = await toldBy(setup({ expert: one, parallel: 1 }), here);
    expect(await toldBy(there({ expert: other }), elsewhere)).toEqual(told);
    expect(elsewhere.map(({ made }) => made)).toEqual(here.map(({ made }) => made));
    const byTask = (expert: typeof one) =>
      ids.map((id) => expert.requests.filter(({ task }) => task.id === id));
    expect(byTask(other)).toEqual(byTask(one));
    // policy requests of the replayed episodes: two steps fetch a, four fail in each of the others
    expect(one.requests).toHaveLength(2 + 4 + 4);
  });

  it('ask for labels of up to `parallel` episodes at once, one step at a time each', async () => {
    for (const parallel of [1, 2, 3]) {
      const open = new Set<string>();
      let most = 0;
      const expert: Expert = {
        async label({ task }) {
          expect(open.has(task.id)).toBe(false);
          open.add(task.id);
          most = Math.max(most, open.size);
          await new Promise((resolve) => setImmediate(resolve));
          open.delete(task.id);
          return { kind: 'unusable', reason: 'no' };
        },
      };
      await rollout(there({ expert, parallel }), attemptsAt(ids));
      expect(most).toBe(parallel);
    }
  });

  it('continue from existing labels: each label is asked for once', async () => {
    const stop = new AbortController();
    const label = (asked: string[], last: number): Expert => ({
      label: async ({ task, history }) => {
        asked.push(`${task.id} ${history.turns.length}`);
        if (asked.length === last) stop.abort();
        return { kind: 'action', command: `look ${history.turns.length}` };
      },
    });
    const whole = attemptsAt(ids);
    const all: string[] = [];
    const parts = { environment: fetching(), maxSteps: 4 };
    const undisturbed = await rollout(setup({ ...parts, expert: label(all, 0) }), whole);
    const [attempts, sent] = [attemptsAt(ids), [] as Attempt[]];
    const before: string[] = [];
    const stopped = rollout(there({ ...parts, expert: label(before, 5), signal: stop.signal }), attempts);
    await expect(stopped).rejects.toMatchObject({ code: 'interrupted' });
    expect(attempts.flatMap(({ made }) => made)).toHaveLength(before.length);
    const after: string[] = [];
    const going = there({ ...parts, expert: label(after, 0), elsewhere: unlabelled(sent) });
    expect(await rollout(going, attempts)).toEqual(undisturbed);
    expect([...before, ...after].sort()).toEqual(all.sort());
    expect(attempts.map(({ made }) => made)).toEqual(whole.map(({ made }) => made));
    expect(sent.map(({ made }) => made.length).sort()).not.toEqual([0, 0, 0]);
  });

  it("throw the expert's error after all requests have ended", async () => {
    let asked = 0;
    const expert: Expert = {
      async label({ task }) {
        asked++;
        await new Promise((resolve) => setImmediate(resolve));
        asked--;
        if (task.id === 'fetch/b') throw new Error('no credit');
        return { kind: 'unusable', reason: 'no' };
      },
    };
    const waiting: Elsewhere['play'] = async function* ({ signal }, attempts) {
      yield* unlabelled().play(setup(), attempts.slice(0, 2));
      await new Promise((resolve) => signal!.addEventListener('abort', resolve));
      throw new EmacError('interrupted', 'gather: stopped');
    };
    const failing = rollout(there({ expert, elsewhere: { play: waiting, labels: false } }), attemptsAt(ids));
    await expect(failing).rejects.toThrow('no credit');
    expect(asked).toBe(0);
  });

  it('may not need a label to act', async () => {
    const acting = rollout(there({ expert: fetchExpert() }), attemptsAt(ids, { expertShare: 0.5 }));
    await expect(acting).rejects.toThrow('must have expert share 0');
  });
});

describe('a recorded episode', () => {
  it('holds actions and observations', () => {
    const trajectory = { task: { id: 'x', type: null }, first: { text: 'f', frames: [], admissible: null } };
    const lost: Trajectory = { ...trajectory, steps: [], end: 'lost', won: false, fault: 'gone' };
    expect(recordedEpisode(lost)).toEqual({ first: trajectory.first, steps: [], fault: 'gone' });
  });
});
