/** The loop: actors, learning and its timing, events. */
import { parametersOf, type Expert } from '@emac/core';
import { playAlone, textOf } from '@emac/rollout';
import { commands, fetchExpert, fetching, fetchTexts, numbersOf, taskIds } from '@emac/testing';
import { describe, expect, it } from 'vitest';
import type { FailedEpisode, StoredCheckpoint } from './dagger-state.ts';
import {
  beginner,
  knowing,
  labelsIn,
  ofKind,
  smallRun,
  told,
  trainSmall,
  type Changes,
  type SmallRun,
} from './small-runs.test.support.ts';

const expertActs = { start: 1, decay: 1 };
const unusable: Expert = { label: () => Promise.resolve({ kind: 'unusable', reason: 'refused' }) };

describe('dagger', () => {
  it("teaches the policy the expert's commands", async () => {
    const { lines, policy, run } = await trainSmall();
    const losses = ofKind(lines, 'probe').map(({ loss }) => loss as number);
    expect(losses).toHaveLength(4);
    expect(losses[3]!).toBeLessThan(losses[0]! / 2);
    const played = await playAlone({
      policy,
      environment: fetching(),
      texts: fetchTexts,
      sampling: run.sampling,
      maxSteps: 4,
      admissibleOnly: false,
      parallel: 1,
      random: run.random,
    });
    // the way to a thing is two commands
    for (const { won, steps } of played) expect([won, steps.length]).toEqual([true, 2]);
  });

  it('draws samples of every earlier round for its updates', async () => {
    const roundsRead: Set<number>[] = [];
    let current = new Set<number>();
    const { lines } = await trainSmall({
      samples: { selection: { keep: 'all' } },
      optimization: { updatesPerEpisode: 4 },
      onRead: ({ round }) => current.add(round),
      run: {
        metrics: (line) => {
          if (line.kind !== 'update') return;
          roundsRead[line.round] = new Set([...(roundsRead[line.round] ?? []), ...current]);
          current = new Set();
        },
      },
    });
    expect(lines).toEqual([]);
    expect(roundsRead.map((rounds) => [...rounds].sort())).toEqual([[0], [0, 1], [0, 1, 2]]);
  });

  it('makes the planned number of updates after every episode and reports each', async () => {
    const { lines } = await trainSmall({ optimization: { updatesPerEpisode: 2 }, play: { rounds: 2 } });
    const updates = ofKind(lines, 'update');
    expect(updates.map(({ update }) => update)).toEqual([...Array(12).keys()]);
    expect(updates.map(({ game }) => game)).toEqual([...taskIds, ...taskIds].flatMap((id) => [id, id]));
    expect(updates.map(({ round }) => round)).toEqual([0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1]);
    expect(updates.map(({ episode }) => episode)).toEqual([0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5]);
  });

  it('ends after so many updates, also within a round, whose line follows', async () => {
    const { lines, state } = await trainSmall({
      optimization: { updatesPerEpisode: 2, updates: 3 },
      play: { rounds: 2 },
    });
    // two updates after the first episode, one after the second, and no third episode
    expect(ofKind(lines, 'update').map(({ episode }) => episode)).toEqual([0, 0, 1]);
    expect(ofKind(lines, 'round').map(({ played }) => played)).toEqual([2]);
    expect([state.updates, state.round]).toEqual([3, 1]);
  });

  it('gives the same lines and weights for the same seed, and only then', async () => {
    const [first, second, other] = [await trainSmall(), await trainSmall(), await trainSmall({ seed: 1 })];
    expect(second.lines).toEqual(first.lines);
    expect(numbersOf(second.policy)).toEqual(numbersOf(first.policy));
    expect(other.lines).not.toEqual(first.lines);
  });

  it('plays the same list every round and skips solved tasks', async () => {
    const { environment, state, events } = await trainSmall({ play: { skipSolved: true, rounds: 4 } });
    const { played } = environment;
    const solvedPlays = state.solved.map((id) => played.filter(({ taskId }) => taskId === id));
    for (const plays of solvedPlays) expect(plays.at(-1)!.commands.at(-1)).toMatch(/^take/);
    expect(state.solved.length).toBeGreaterThan(0);
    const skipped = told(events, 'episode-skipped');
    expect(played.length + skipped.length).toBe(12);
    expect(played.slice(0, 3).map(({ taskId }) => taskId)).toEqual([...taskIds]);
    for (const { place, taskId } of skipped) expect(taskIds[place]).toBe(taskId);
  });

  it.each([
    [true, 3],
    [false, 6],
  ])('with skipSolved %j plays %i episodes in two rounds that are all won', async (skipSolved, episodes) => {
    const { environment, lines } = await trainSmall({
      policy: knowing('a', 'b', 'c'),
      play: { skipSolved, rounds: 2 },
      optimization: { updatesPerEpisode: 0 },
    });
    expect(environment.played).toHaveLength(episodes);
    expect(ofKind(lines, 'round').map(({ played, won, solved }) => [played, won, solved])).toEqual([
      [3, 3, 3],
      [episodes - 3, episodes - 3, 3],
    ]);
  });

  it("gives the environment the policy's command, and the expert's if asked", async () => {
    const stepsWith = async (play: Changes['play']) => {
      const small = { play: { rounds: 2, ...play }, optimization: { updatesPerEpisode: 0 } };
      return told((await trainSmall(small)).events, 'step');
    };
    for (const { command, own } of await stepsWith({})) expect(command).toBe(own);
    const expert = await stepsWith({ expertShare: expertActs });
    for (const { command, label } of expert) expect(command).toBe(label);
    expect(expert.some(({ own, label }) => own !== label)).toBe(true);
    // with β = 0 ** round the expert acts in round 0 (0⁰ = 1) and the policy afterwards
    const mixed = await stepsWith({ expertShare: { start: 1, decay: 0 } });
    for (const { command, own, label, round } of mixed) expect(command).toBe(round === 0 ? label : own);
  });

  it('restricts the policy to admissible commands if asked', async () => {
    const asked = async (admissibleOnly: boolean) => {
      const policy = beginner();
      const allowed: unknown[] = [];
      const spied: typeof policy = {
        ...policy,
        decide: (questions, sampling) => {
          allowed.push(...questions.map((question) => question.allowed));
          return policy.decide(questions, sampling);
        },
      };
      await trainSmall({ policy: spied, play: { admissibleOnly, rounds: 1 } });
      return allowed;
    };
    const answers = commands.map((command) => ` ${command}`);
    for (const allowed of await asked(true)) expect(allowed).toEqual(answers);
    for (const allowed of await asked(false)) expect(allowed).toBeNull();
  });

  it('ends an episode that goes in circles, and stores no state twice', async () => {
    const small: SmallRun = { play: { rounds: 2, maxSteps: 9 }, optimization: { updatesPerEpisode: 0 } };
    const loops = await trainSmall({ ...small, play: { ...small.play, stopRepeating: true } });
    // without training the same greedy policy says the same thing again at once, or alternates
    for (const each of loops.environment.played) expect(each.commands.length).toBeLessThanOrEqual(4);
    expect(told(loops.events, 'episode-end').some(({ repeated }) => repeated)).toBe(true);
    const all = await trainSmall({ ...small, samples: { selection: { keep: 'all' } } });
    const distinct = await trainSmall({ ...small, samples: { selection: { keep: 'distinct' } } });
    const words = labelsIn(distinct.transitions).map(({ prompt, answer }) => `${textOf(prompt)}${answer}`);
    expect(new Set(words).size).toBe(words.length);
    // two rounds of three episodes of nine steps
    expect(all.transitions).toHaveLength(54);
    expect(distinct.transitions.length).toBeLessThan(27);
  });

  it('learns from failures only, if asked', async () => {
    const samples = { trainAfter: 'failed-episodes' } as const;
    const won = await trainSmall({ samples, policy: knowing('a', 'b', 'c') });
    expect([won.transitions.length, won.state.updates, won.state.solved.length]).toEqual([0, 0, 3]);
    const mostly = await trainSmall({ samples, policy: knowing('a', 'c'), play: { rounds: 1 } });
    expect([...new Set(mostly.transitions.map(({ taskId }) => taskId))]).toEqual(['fetch/b']);
    expect(ofKind(mostly.lines, 'update').map(({ game }) => game)).toEqual(Array(5).fill('fetch/b'));
  });
});

describe('rates of learning', () => {
  const ratesOf = ({ lines }: Awaited<ReturnType<typeof trainSmall>>): number[] =>
    ofKind(lines, 'update').map(({ lr }) => Number((lr as number).toFixed(12)));

  it('follow the published ones: rounds count as epochs, micro-steps as steps', async () => {
    const schedule = { schedule: 'round-cosine', warmup: 100, warmupStart: 0, learningRate: 0.1 } as const;
    const optimization = { ...schedule, accumulate: 4, updatesPerEpisode: 2 };
    const rates = ratesOf(await trainSmall({ optimization, play: { rounds: 2 } }));
    // round 0: the last micro-step of update u is 4u + 3, 0.1 · (4u + 3)/100; round 1: 0.05 · (1 + cos(π/2))
    expect(rates.slice(0, 6)).toEqual([0.003, 0.007, 0.011, 0.015, 0.019, 0.023]);
    expect(rates.slice(6)).toEqual(Array(6).fill(0.05));
  });

  it('are planned by the tasks that are there', async () => {
    const optimization = { schedule: 'linear', learningRate: 0.6, updatesPerEpisode: 1 } as const;
    const rates = ratesOf(await trainSmall({ optimization, play: { rounds: 2, gamesPerRound: 134 } }));
    // 2 rounds · 3 tasks · 1 update: update u has 0.6 · (1 − u/6)
    expect(rates).toEqual([0.6, 0.5, 0.4, 0.3, 0.2, 0.1]);
  });

  it.each([1, 2, 3])(
    'fall to one step above the minimum although later rounds play fewer tasks (%i at a time)',
    async (episodesPerUpdate) => {
      // a and b are won in round 0; at these rates c is never learned
      const optimization = { schedule: 'linear', learningRate: 9e-6, updatesPerEpisode: 2 } as const;
      const small = await trainSmall({
        policy: knowing('a', 'b'),
        optimization,
        play: { rounds: 3, skipSolved: true, episodesPerUpdate },
      });
      expect(ofKind(small.lines, 'round').map(({ played }) => played)).toEqual([3, 1, 1]);
      // planned are 3 rounds of 6 updates, each 0.5e-6 less. Round 0 has all of its six. The two updates of round 1
      // stand for three each: they end after 9 and 12, one step before; those of round 2 end after 15 and 18
      const millionths = ratesOf(small).map((rate) => Number((rate * 1e6).toFixed(6)));
      expect(millionths).toEqual([9, 8.5, 8, 7.5, 7, 6.5, 5, 3.5, 2, 0.5]);
    },
  );
});

describe('an unusable label', () => {
  it('leaves the step to the policy, is marked, and is not learned from', async () => {
    const sure = fetchExpert();
    // silent about a and b
    const expert: Expert = {
      label: (request) => (request.task.id === 'fetch/c' ? sure : unusable).label(request),
    };
    const small: SmallRun = { run: { expert }, play: { rounds: 1, expertShare: expertActs } };
    const { events, lines, transitions } = await trainSmall(small);
    const steps = told(events, 'step').filter(({ taskId }) => taskId !== 'fetch/c');
    expect(steps.length).toBeGreaterThan(0);
    for (const step of steps)
      expect([step.label, step.reason, step.command]).toEqual([null, 'refused', step.own]);
    expect([...new Set(transitions.map(({ taskId }) => taskId))]).toEqual(['fetch/c']);
    // nothing to learn from before c
    expect(ofKind(lines, 'update').map(({ game }) => game)).toEqual(Array(5).fill('fetch/c'));
    expect(ofKind(lines, 'round')[0]).toMatchObject({ labelled: 2, unusable: steps.length });
    const asPublished = await trainSmall({ ...small, samples: { trainOnUnusable: true } });
    expect(asPublished.transitions.map(({ taskId }) => taskId)).toContain('fetch/a');
  });

  it.each([false, true])(
    'at every step ends the run as a failure, after its checkpoints (trainOnUnusable %j)',
    async (trainOnUnusable) => {
      const saved: StoredCheckpoint[] = [];
      const small = await smallRun({
        run: { expert: unusable },
        play: { rounds: 2 },
        samples: { trainOnUnusable },
        checkpoint: (at) => void saved.push(structuredClone(at)),
      });
      const failed = small.train();
      // two rounds of three tasks of four steps, all lost by this policy
      const words = 'none of the expert’s 24 replies was usable (the last one: refused)';
      await expect(failed).rejects.toMatchObject({ code: 'check-failed' });
      await expect(failed).rejects.toThrow(words.replace('’', "'"));
      expect(saved.at(-1)).toMatchObject({ isExtra: false, state: { round: 2, current: null } });
      expect(ofKind(small.lines, 'round')).toHaveLength(2);
      // resuming from the last checkpoint does not turn the failure into success
      const { state, optimizer } = saved.at(-1)!;
      const transitions = small.held();
      const again = await smallRun({ run: { expert: unusable, resume: { state, optimizer } }, transitions });
      await expect(again.train()).rejects.toMatchObject({ code: 'check-failed' });
    },
  );

  it('do not fail a run that has one usable label', async () => {
    const sure = fetchExpert();
    let asked = 0;
    const expert: Expert = { label: (request) => (asked++ === 0 ? sure : unusable).label(request) };
    const { state } = await trainSmall({ run: { expert } });
    expect(state.labels).toMatchObject({ usable: 1, reason: 'refused' });
  });
});

it('labels whose command was repaired are counted in their round', async () => {
  const sure = fetchExpert();
  let asked = 0;
  const expert: Expert = {
    label: async (request) => {
      const label = await sure.label(request);
      return label.kind === 'action' && asked++ < 2 ? { ...label, isRepaired: true } : label;
    },
  };
  const { lines } = await trainSmall({ run: { expert }, play: { rounds: 2 } });
  const [first, second] = ofKind(lines, 'round');
  expect(first).toMatchObject({ repairs: 2 });
  expect(second).not.toHaveProperty('repairs');
});

describe('an episode the expert won', () => {
  // this policy wins nothing itself, and at a rate of 0 never will
  const still = { learningRate: 0, minimum: 0, schedule: 'constant' } as const;

  it('is not solved by the policy: it is played again, and not counted as won', async () => {
    const { lines, state, events, environment } = await trainSmall({
      play: { rounds: 2, skipSolved: true, expertShare: { start: 1, decay: 0 } },
      optimization: still,
    });
    expect(told(events, 'episode-skipped')).toEqual([]);
    expect(environment.played.map(({ taskId }) => taskId)).toEqual([...taskIds, ...taskIds]);
    expect(ofKind(lines, 'round')).toMatchObject([
      // of four steps each, as other failures
      { played: 3, won: 0, expert_won: 3, success: 0, solved: 0, mean_steps: 4 },
      // now the policy acts
      { played: 3, won: 0, expert_won: 0, success: 0, solved: 0, mean_steps: 4 },
    ]);
    expect(state.solved).toEqual([]);
    const ends = told(events, 'episode-end').map(({ won, expertWon, steps }) => [won, expertWon, steps]);
    const [byExpert, byPolicy] = [
      [false, true, 2],
      [false, false, 4],
    ];
    expect(ends).toEqual([...Array(3).fill(byExpert), ...Array(3).fill(byPolicy)]);
  });

  it('is learned from even if only failures are, and is not reflected on', async () => {
    const reflected: string[] = [];
    const { transitions } = await trainSmall({
      play: { rounds: 1, expertShare: expertActs },
      samples: { trainAfter: 'failed-episodes' },
      optimization: still,
      run: { reflect: ({ taskId }) => (reflected.push(taskId), Promise.resolve(null)) },
    });
    expect([transitions.length, reflected]).toEqual([6, []]);
  });

  it('counts for the policy if the policy said the same at every step', async () => {
    const { lines, state } = await trainSmall({
      policy: knowing('a'),
      play: { rounds: 1, expertShare: expertActs },
      optimization: still,
    });
    expect(ofKind(lines, 'round')[0]).toMatchObject({ won: 1, expert_won: 2, solved: 1 });
    expect(state.solved).toEqual(['fetch/a']);
  });

  it('has no number if the expert never acts', async () => {
    const { lines } = await trainSmall({ play: { rounds: 1 } });
    expect(Object.keys(ofKind(lines, 'round')[0]!)).not.toContain('expert_won');
  });
});

describe('lessons from failed attempts', () => {
  it('are shown to the expert in later rounds, oldest first', async () => {
    const failures: FailedEpisode[] = [];
    const reflect = (failure: FailedEpisode) => {
      failures.push(failure);
      const lesson = `lesson ${failure.round} for ${failure.taskId}`;
      return Promise.resolve(failure.taskId === 'fetch/c' ? null : lesson);
    };
    const { expert, state } = await trainSmall({
      run: { reflect },
      play: { rounds: 3, skipSolved: true },
      optimization: { updatesPerEpisode: 0 },
    });
    expect(failures.map(({ taskId }) => taskId)).toEqual([...taskIds, ...taskIds, ...taskIds]);
    expect(failures[0]!.history.turns).toHaveLength(4);
    expect(failures[0]!.expertCommands[0]).toBe('go a');
    const seen = expert.requests.filter(
      ({ task, history }) => task.id === 'fetch/a' && history.turns.length === 0,
    );
    expect(seen.map(({ memories }) => memories)).toEqual([
      [],
      ['lesson 0 for fetch/a'],
      ['lesson 0 for fetch/a', 'lesson 1 for fetch/a'],
    ]);
    expect(state.memories.map(([id, lessons]) => [id, lessons.length])).toEqual([
      ['fetch/a', 3],
      ['fetch/b', 3],
    ]);
  });

  it('may come from another phase', async () => {
    const memories: [string, readonly string[]][] = [['fetch/a', ['look there first']]];
    const { expert } = await trainSmall({ play: { rounds: 1 }, run: { memories } });
    const asked = expert.requests.filter(({ task }) => task.id === 'fetch/a').map((each) => each.memories);
    expect(asked.length).toBeGreaterThan(0);
    for (const lessons of asked) expect(lessons).toEqual(['look there first']);
  });

  it.each([true, false])(
    'are read by the policy, in acting and learning, only if its memory is on (%j)',
    async (policyMemory) => {
      const policy = beginner();
      const read: string[] = [];
      const learned: string[] = [];
      const spied: typeof policy = {
        ...policy,
        decide: (questions, sampling) => {
          read.push(...questions.map(({ prompt }) => textOf(prompt)));
          return policy.decide(questions, sampling);
        },
        gradient: (rows, loss) => {
          learned.push(...rows.map(({ prompt }) => textOf(prompt)));
          return policy.gradient(rows, loss);
        },
      };
      const memories: [string, readonly string[]][] = [['fetch/a', ['look there first']]];
      const run = { memories, policyMemory };
      const { transitions } = await trainSmall({ policy: spied, play: { rounds: 1 }, run });
      const stored = transitions.map(({ prompt }) => textOf(prompt));
      for (const prompts of [read, stored, learned]) {
        const about = (thing: string) => prompts.filter((text) => text.includes(`want-${thing}`));
        expect(Math.min(about('a').length, about('b').length)).toBeGreaterThan(0);
        for (const text of about('a')) expect(text.startsWith('look there first ')).toBe(policyMemory);
        for (const text of about('b')) expect(text).not.toContain('look there first');
      }
    },
  );

  it('of an earlier round are read by the policy in the next one', async () => {
    const firsts: string[] = [];
    const { transitions } = await trainSmall({
      run: { policyMemory: true, reflect: ({ taskId }) => Promise.resolve(`think of ${taskId.at(-1)}`) },
      play: { rounds: 2 },
      samples: { selection: { keep: 'all' } },
      optimization: { updatesPerEpisode: 0 },
    });
    for (const { round, step, prompt } of transitions)
      if (step === 0) firsts.push(`${round} ${textOf(prompt)}`);
    expect(firsts).toEqual([
      '0 want-a',
      '0 want-b',
      '0 want-c',
      '1 think of a want-a',
      '1 think of b want-b',
      '1 think of c want-c',
    ]);
  });
});

it('stops before a number that is not finite reaches the parameters', async () => {
  const policy = beginner();
  const before = numbersOf(policy);
  const broken = new Map([...parametersOf(policy)].map(([name, { data }]) => [name, data.map(() => NaN)]));
  const spied: typeof policy = {
    ...policy,
    gradient: async (rows, loss) => ({ ...(await policy.gradient(rows, loss)), gradients: broken }),
  };
  await expect(trainSmall({ policy: spied })).rejects.toThrow(
    /gradient norm NaN; no step has been made yet, so the rate is not at fault: check the weights/,
  );
  expect(numbersOf(policy)).toEqual(before);
});
