import {
  createImitationBuffer,
  createPreferenceBuffer,
  type ImitationBuffer,
  type ImitationTransition,
  type PreferenceBuffer,
  type PreferenceTransition,
  type ReplayBuffer,
  type Transition,
} from '@emac/buffers';
import { EmacError, Random, type Expert } from '@emac/core';
import { describe, expect, it } from 'vitest';
import { bagOfWordsStudent, blank, type BagOfWordsStudent } from './bag-of-words.test.fixture.ts';
import { train } from './dagger.ts';
import { evaluate } from './evaluate.ts';
import { imitationLearner } from './imitation.ts';
import { preferenceLearner } from './preference.ts';
import { presetSettings } from './presets.ts';
import { collectProbe } from './probe.ts';
import type { MetricsLine, ProgressEvent } from './progress.ts';
import type { Phase, TrainingSettings } from './settings.ts';
import { fetchExpert, gameIds, smallWorld, texts } from './small-world.test.fixture.ts';
import type { TrainingRun } from './training-run.ts';
import type { FailedEpisode, StoredCheckpoint, TrainingCheckpoint } from './training-state.ts';

interface Setup {
  readonly phase?: Phase;
  readonly seed?: number;
  readonly settings?: Partial<TrainingSettings>;
  readonly run?: Partial<TrainingRun>;
  readonly transitions?: readonly Transition[];
  readonly student?: BagOfWordsStudent;
  readonly checkpoint?: (checkpoint: StoredCheckpoint, transitions: readonly Transition[]) => void;
  readonly onRead?: (sample: { readonly round: number }) => void;
}

const base = {
  ...{ maxSteps: 4, learningRate: 0.2, rounds: 3, skipSolved: false, stopRepeating: false },
  ...({ schedule: 'constant', agreed: 'drop' } as const),
} as const;

/** Held before, for a run that goes on; the fixture has one picture only. */
function filled<T extends Transition>(buffer: ReplayBuffer<T>, setup: Setup): ReplayBuffer<T> {
  for (const transition of (setup.transitions ?? []) as T[]) buffer.append(transition, blank);
  const at = buffer.at.bind(buffer);
  buffer.at = (index) => {
    setup.onRead?.(at(index));
    return at(index);
  };
  return buffer;
}

const heldBy = <T extends Transition>(buffer: ReplayBuffer<T>): T[] =>
  Array.from({ length: buffer.length }, (_, index) => buffer.at(index));

/** A run over the three games with everything it told. */
async function trainSmall(setup: Setup = {}) {
  const phase = setup.phase ?? 'bc';
  const seed = Random.fromSeed(setup.seed ?? 0);
  const settings = { ...presetSettings('tiny', phase), ...base, ...setup.settings };
  const student = setup.student ?? bagOfWordsStudent(seed.stream('start'));
  const reference = bagOfWordsStudent(seed.stream('start'));
  const world = smallWorld();
  const expert = fetchExpert();
  const [labels, pairs] = [createImitationBuffer(), createPreferenceBuffer()];
  const buffer: ImitationBuffer | PreferenceBuffer =
    phase === 'bc' ? filled(labels, setup) : filled(pairs, setup);
  const withRejected = phase === 'dpo';
  const probe = await collectProbe({
    ...{
      world: smallWorld().pass(),
      expert: fetchExpert(),
      student: reference,
      texts,
      maxSteps: 4,
      withRejected,
    },
    random: seed.stream('probe'),
  });
  const parts = { student, texts, settings, probe };
  const learner =
    phase === 'bc'
      ? imitationLearner({ ...parts, buffer: labels })
      : preferenceLearner({ ...parts, reference, buffer: pairs });
  const lines: MetricsLine[] = [];
  const events: ProgressEvent[] = [];
  const run: TrainingRun = {
    ...{ phase, settings, student, expert, learner, texts, world: world.pass, random: seed },
    metrics: (line) => void lines.push(line),
    report: (event) => void events.push(event),
    ...setup.run,
  };
  const checkpoint = setup.checkpoint;
  const state = await train({
    ...run,
    ...(checkpoint && { checkpoint: (at) => checkpoint(at, heldBy(buffer as ReplayBuffer<Transition>)) }),
  });
  const transitions = heldBy(buffer as ReplayBuffer<Transition>);
  return { state, lines, events, student, reference, world, expert, transitions, settings };
}

const parametersOf = (student: BagOfWordsStudent) =>
  [...student.parameters().values()].map(({ data }) => [...data]);
const ofKind = (lines: readonly MetricsLine[], kind: MetricsLine['kind']) =>
  lines.filter((line) => line.kind === kind);

describe('train, imitation', () => {
  it('teaches the student what the expert does', async () => {
    const { lines, student } = await trainSmall();
    const losses = ofKind(lines, 'probe').map(({ loss }) => loss as number);
    expect(losses).toHaveLength(4);
    expect(losses[3]!).toBeLessThan(losses[0]! / 2);
    const maxSteps = 4;
    const options = {
      student,
      world: smallWorld().pass(),
      texts,
      maxSteps,
      checkpoint: 'x',
      trainedOn: new Set(''),
    };
    const result = await evaluate(options);
    // the way to a thing is two commands
    expect([result.success, result.mean_steps]).toEqual([1, 2]);
  });

  it('draws samples of every earlier round for its updates', async () => {
    const roundsRead: Set<number>[] = [];
    const current = new Set<number>();
    const { lines } = await trainSmall({
      settings: { updatesPerEpisode: 4, selection: { keep: 'all' } },
      onRead: ({ round }) => current.add(round),
      run: {
        metrics: (line) => {
          if (line.kind !== 'update') return;
          (roundsRead[line.round] ??= new Set()).forEach((round) => current.add(round));
          roundsRead[line.round] = new Set(current);
          current.clear();
        },
      },
    });
    expect(lines).toEqual([]);
    expect(roundsRead.map((rounds) => [...rounds].sort())).toEqual([[0], [0, 1], [0, 1, 2]]);
  });

  it('makes the planned number of updates after every episode and says where each was made', async () => {
    const { lines } = await trainSmall({ settings: { updatesPerEpisode: 2, rounds: 2 } });
    const updates = ofKind(lines, 'update');
    expect(updates.map(({ update }) => update)).toEqual([...Array(12).keys()]);
    expect(updates.map(({ game }) => game)).toEqual([...gameIds, ...gameIds].flatMap((id) => [id, id]));
    expect(updates.map(({ round }) => round)).toEqual([0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1]);
    expect(updates.map(({ episode }) => episode)).toEqual([0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5]);
  });

  it('tells the same lines and ends in the same weights for the same seed, and only then', async () => {
    const [first, second, other] = [await trainSmall(), await trainSmall(), await trainSmall({ seed: 1 })];
    expect(second.lines).toEqual(first.lines);
    expect(parametersOf(second.student)).toEqual(parametersOf(first.student));
    expect(other.lines).not.toEqual(first.lines);
  });

  it('follows the published rates: rounds count as epochs, micro-steps as steps', async () => {
    const settings: Partial<TrainingSettings> = {
      ...({ schedule: 'round-cosine', warmup: 100, warmupStart: 0, learningRate: 0.1 } as const),
      ...{ accumulate: 4, updatesPerEpisode: 2, rounds: 2 },
    };
    const { lines } = await trainSmall({ settings });
    const rates = ofKind(lines, 'update').map(({ lr }) => Number((lr as number).toFixed(9)));
    // round 0: the last micro-step of update u is 4u + 3, 0.1 · (4u + 3)/100; round 1: 0.05 · (1 + cos(π/2))
    expect(rates.slice(0, 6)).toEqual([0.003, 0.007, 0.011, 0.015, 0.019, 0.023]);
    expect(rates.slice(6)).toEqual(Array(6).fill(0.05));
  });

  it('plans its learning rates by the games that are there', async () => {
    const settings = { schedule: 'linear', learningRate: 0.6, rounds: 2, gamesPerRound: 134 } as const;
    const { lines } = await trainSmall({
      settings: { ...settings, updatesPerEpisode: 1 },
      run: { gamesInPass: 3 },
    });
    const rates = ofKind(lines, 'update').map(({ lr }) => Number((lr as number).toFixed(9)));
    // 2 rounds · 3 games · 1 update: update u has 0.6 · (1 − u/6)
    expect(rates).toEqual([0.6, 0.5, 0.4, 0.3, 0.2, 0.1]);
  });

  it('plays the same list every round and skips what was solved', async () => {
    const { world, state, events } = await trainSmall({ settings: { skipSolved: true, rounds: 4 } });
    const solvedPlays = state.solved.map((id) => world.played.filter(({ gameId }) => gameId === id));
    for (const plays of solvedPlays) expect(plays.at(-1)!.commands.at(-1)).toMatch(/^take/);
    expect(state.solved.length).toBeGreaterThan(0);
    expect(world.played.length + events.filter(({ kind }) => kind === 'episode-skipped').length).toBe(12);
    expect(world.played.slice(0, 3).map(({ gameId }) => gameId)).toEqual([...gameIds]);
  });

  it.each([
    [true, 3],
    [false, 6],
  ])('with skipSolved %j plays %i episodes in two rounds that are all won', async (skipSolved, episodes) => {
    const settings = { skipSolved, actWith: 'expert', rounds: 2, updatesPerEpisode: 0 } as const;
    const { world, lines } = await trainSmall({ settings });
    expect(world.played).toHaveLength(episodes);
    expect(ofKind(lines, 'round').map(({ played, won, solved }) => [played, won, solved])).toEqual([
      [3, 3, 3],
      [episodes - 3, episodes - 3, 3],
    ]);
  });

  it('gives the world the student’s command, and the expert’s where that is asked for', async () => {
    const told = async (settings: Partial<TrainingSettings>) => {
      const { events } = await trainSmall({ settings: { rounds: 2, updatesPerEpisode: 0, ...settings } });
      return events.filter((event) => event.kind === 'step');
    };
    for (const { command, own } of await told({})) expect(command).toBe(own);
    const expert = await told({ actWith: 'expert' });
    for (const { command, label } of expert) expect(command).toBe(label);
    expect(expert.some(({ own, label }) => own !== label)).toBe(true);
    // with β = 0 ** round the expert acts in round 0 (0⁰ = 1) and the student afterwards
    for (const { command, own, label, round } of await told({ actWith: 'mixture', expertDecay: 0 }))
      expect(command).toBe(round === 0 ? label : own);
  });

  it('keeps the student’s command where a label is unusable, marks the step and does not train on it', async () => {
    const expert: Expert = { label: () => Promise.resolve({ kind: 'unusable', reason: 'refused' }) };
    const { events, lines, transitions } = await trainSmall({ run: { expert }, settings: { rounds: 1 } });
    const steps = events.filter((event) => event.kind === 'step');
    expect(steps.length).toBeGreaterThan(0);
    for (const step of steps)
      expect([step.label, step.reason, step.command]).toEqual([null, 'refused', step.own]);
    expect([transitions.length, ofKind(lines, 'update').length]).toEqual([0, 0]);
    expect(ofKind(lines, 'round')[0]).toMatchObject({ labelled: 0, unusable: steps.length });
    const asPublished = await trainSmall({ run: { expert }, settings: { rounds: 1, trainOnUnusable: true } });
    expect(asPublished.transitions.length).toBeGreaterThan(0);
  });

  it('shows lessons from failed attempts to the expert in later rounds, oldest first', async () => {
    const failures: FailedEpisode[] = [];
    const reflect = (failure: FailedEpisode) => {
      failures.push(failure);
      return Promise.resolve(
        failure.gameId === 'fetch/c' ? null : `lesson ${failure.round} for ${failure.gameId}`,
      );
    };
    const settings = { rounds: 3, updatesPerEpisode: 0, skipSolved: true };
    const { expert, state } = await trainSmall({ run: { reflect }, settings });
    expect(failures.map(({ gameId }) => gameId)).toEqual([...gameIds, ...gameIds, ...gameIds]);
    expect(failures[0]!.history.turns).toHaveLength(4);
    expect(failures[0]!.expertCommands[0]).toBe('go a');
    const seen = expert.requests.filter(
      ({ gameId, history }) => gameId === 'fetch/a' && history.turns.length === 0,
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

  it('ends an episode that goes in circles, and stores no state twice', async () => {
    const settings = { rounds: 2, updatesPerEpisode: 0, maxSteps: 9 };
    const loops = await trainSmall({ settings: { ...settings, stopRepeating: true } });
    // without training the same greedy student says the same thing again at once, or alternates
    for (const { commands } of loops.world.played) expect(commands.length).toBeLessThanOrEqual(4);
    expect(loops.events.some((event) => event.kind === 'episode-end' && event.repeated)).toBe(true);
    const all = await trainSmall({ settings: { ...settings, selection: { keep: 'all' } } });
    const distinct = await trainSmall({ settings: { ...settings, selection: { keep: 'distinct' } } });
    const words = (distinct.transitions as ImitationTransition[]).map(({ text, target }) => text + target);
    expect(new Set(words).size).toBe(words.length);
    expect(all.transitions).toHaveLength(54);
    expect(distinct.transitions.length).toBeLessThan(27);
  });

  it('trains after failures only where that is asked for', async () => {
    const settings = { actWith: 'expert', trainAfter: 'failed-episodes' } as const;
    const { transitions, state } = await trainSmall({ settings });
    expect([transitions.length, state.updates, state.solved.length]).toEqual([0, 0, 3]);
  });
});

describe('train, interrupted', () => {
  it.each(['bc', 'dpo'] as const)(
    'goes on from any checkpoint to the same lines and weights (%s)',
    async (phase) => {
      interface Kept extends TrainingCheckpoint {
        readonly lines: number;
        readonly transitions: readonly Transition[];
        readonly parameters: number[][];
      }
      const kept: Kept[] = [];
      const lines: MetricsLine[] = [];
      const student = bagOfWordsStudent(Random.fromSeed(0).stream('start'));
      const reflect = () => Promise.resolve('try elsewhere');
      const settings = { rounds: 2, agreed: 'random' } as const;
      const checkpoint: Setup['checkpoint'] = ({ state, optimizer }, transitions) => {
        const copy = structuredClone({ state, optimizer, transitions });
        kept.push({ ...copy, lines: lines.length, parameters: parametersOf(student) });
      };
      const run = { reflect, metrics: (line: MetricsLine) => void lines.push(line) };
      const whole = await trainSmall({ phase, student, settings, run, checkpoint });
      // the start; in both rounds before the second and the third game, and at the end
      expect(kept).toHaveLength(1 + 2 * 3);
      for (const at of kept.slice(0, -1)) {
        const again = bagOfWordsStudent(Random.fromSeed('other'));
        [...again.parameters().values()].forEach(({ data }, place) => data.set(at.parameters[place]!));
        again.commit();
        const part = { state: at.state, optimizer: at.optimizer };
        const options = {
          phase,
          student: again,
          transitions: at.transitions,
          settings,
          run: { reflect, resume: part },
        };
        const rest = await trainSmall(options);
        expect(rest.lines).toEqual(lines.slice(at.lines));
        expect(parametersOf(again)).toEqual(parametersOf(whole.student));
        expect(rest.state).toEqual(whole.state);
      }
    },
  );

  it.each(['bc', 'dpo'] as const)(
    'stopped at any event goes on from there, not from before, to the same lines and weights (%s)',
    async (phase) => {
      const settings = { rounds: 2, actWith: 'mixture', agreed: 'random', stopRepeating: true } as const;
      const reflect = () => Promise.resolve('try elsewhere');
      const whole = await trainSmall({ phase, settings, run: { reflect } });
      const seen = { steps: new Set<number>(), updates: new Set<number>() };
      for (let moment = 0; moment < whole.events.length; moment++) {
        const controller = new AbortController();
        const student = bagOfWordsStudent(Random.fromSeed(0).stream('start'));
        const lines: MetricsLine[] = [];
        let told = 0;
        let last: { at: StoredCheckpoint; lines: number; transitions: readonly Transition[] } | undefined;
        const stopped = trainSmall({
          ...{ phase, student, settings },
          run: {
            ...{ reflect, signal: controller.signal, metrics: (line: MetricsLine) => void lines.push(line) },
            report: () => {
              if (told++ === moment) controller.abort();
            },
          },
          checkpoint: (at, transitions) =>
            void (last = { ...structuredClone({ at, transitions }), lines: lines.length }),
        });
        await expect(stopped).rejects.toMatchObject({ code: 'interrupted' });
        const { at, transitions } = last!;
        seen.steps.add(at.state.current?.steps.length ?? 0);
        seen.updates.add(at.state.current?.updatesLeft ?? 0);
        // all that was done is saved
        expect(lines).toHaveLength(last!.lines);
        const run = { reflect, resume: { state: at.state, optimizer: at.optimizer } };
        const rest = await trainSmall({ phase, student, settings, run, transitions });
        expect([...lines, ...rest.lines]).toEqual(whole.lines);
        expect(parametersOf(student)).toEqual(parametersOf(whole.student));
        expect(rest.state).toEqual(whole.state);
      }
      // among these moments are those inside an episode and between its updates
      expect([seen.steps.has(1), seen.updates.has(2)]).toEqual([true, true]);
    },
  );

  it('keeps the steps before where the expert cannot go on', async () => {
    const settings = { rounds: 1 };
    const whole = await trainSmall({ settings });
    const expert = fetchExpert();
    const label = expert.label.bind(expert);
    let asked = 0;
    expert.label = (request) =>
      ++asked === 3 ? Promise.reject(new EmacError('interrupted', 'no budget')) : label(request);
    let last: StoredCheckpoint | undefined;
    const student = bagOfWordsStudent(Random.fromSeed(0).stream('start'));
    const checkpoint = (at: StoredCheckpoint) => void (last = structuredClone(at));
    const stopped = trainSmall({ settings, student, run: { expert }, checkpoint });
    await expect(stopped).rejects.toMatchObject({ code: 'interrupted' });
    expect(last).toMatchObject({ isExtra: true, state: { worldSteps: 2 } });
    const rest = await trainSmall({ settings, student, run: { resume: last! } });
    expect(rest.state).toEqual(whole.state);
    expect(parametersOf(student)).toEqual(parametersOf(whole.student));
  });

  it('refuses a world that answers otherwise than before the interruption', async () => {
    const controller = new AbortController();
    let last: StoredCheckpoint | undefined;
    const checkpoint = (at: StoredCheckpoint) => void (last = structuredClone(at));
    const report = (event: ProgressEvent) => {
      if (event.kind === 'step') controller.abort();
    };
    await expect(trainSmall({ checkpoint, run: { signal: controller.signal, report } })).rejects.toThrow();
    const [step] = last!.state.current!.steps;
    last!.state.current!.steps[0] = { ...step!, observation: 'something else' };
    await expect(trainSmall({ run: { resume: last! } })).rejects.toMatchObject({ code: 'data' });
  });

  it('refuses a state that lacks anything', async () => {
    let last: StoredCheckpoint | undefined;
    await trainSmall({ settings: { rounds: 1 }, checkpoint: (at) => void (last = structuredClone(at)) });
    for (const field of Object.keys(last!.state)) {
      const state = Object.fromEntries(Object.entries(last!.state).filter(([name]) => name !== field));
      const resume = { ...last!, state } as unknown as StoredCheckpoint;
      await expect(trainSmall({ run: { resume } })).rejects.toMatchObject({ code: 'data' });
    }
  });

  it('begins with the lessons of another phase where they are given', async () => {
    const memories: [string, readonly string[]][] = [['fetch/a', ['look there first']]];
    const { expert } = await trainSmall({ settings: { rounds: 1 }, run: { memories } });
    const told = expert.requests.filter(({ gameId }) => gameId === 'fetch/a').map((each) => each.memories);
    expect(told.length).toBeGreaterThan(0);
    for (const lessons of told) expect(lessons).toEqual(['look there first']);
  });

  it.each([true, false])('saves no moment twice, with skipSolved %j', async (skipSolved) => {
    const saved: string[] = [];
    const checkpoint: Setup['checkpoint'] = ({ state }) =>
      void saved.push(`${state.worldSteps + state.updates} in round ${state.round}`);
    // games that the expert plays are all solved in round 0
    const settings = { skipSolved, actWith: 'expert', rounds: 2, updatesPerEpisode: 1 } as const;
    await trainSmall({ settings, checkpoint });
    // 2 steps and 1 update a game
    const first = ['0 in round 0', '3 in round 0', '6 in round 0', '9 in round 1'];
    const second = skipSolved ? ['9 in round 2'] : ['12 in round 1', '15 in round 1', '18 in round 2'];
    expect(saved).toEqual([...first, ...second]);
  });

  it.each(['fails', 'is interrupted'])('keeps the last game where reflecting on it %s', async (how) => {
    const controller = new AbortController();
    const reflect = () => {
      if (how === 'fails') return Promise.reject(new Error('no answer'));
      controller.abort();
      return Promise.resolve('a lesson');
    };
    let last: TrainingCheckpoint | undefined;
    const checkpoint = (at: TrainingCheckpoint) => void (last = structuredClone(at));
    const settings = { updatesPerEpisode: 0 };
    const run = { reflect, signal: controller.signal };
    await expect(trainSmall({ settings, checkpoint, run })).rejects.toThrow();
    expect(last!.state).toMatchObject({ round: 0, gamesDone: 3, episodes: 3, memories: [] });
  });

  it('stops when asked, after a checkpoint', async () => {
    const controller = new AbortController();
    let checkpoints = 0;
    const checkpoint = () => {
      if (++checkpoints === 3) controller.abort();
    };
    const stopped = trainSmall({ checkpoint, run: { signal: controller.signal } });
    await expect(stopped).rejects.toMatchObject({ code: 'interrupted' });
    expect(checkpoints).toBe(3);
  });

  it('refuses a state of another seed or phase, and a store of another moment', async () => {
    let last: TrainingCheckpoint | undefined;
    await trainSmall({ checkpoint: (at) => void (last = structuredClone(at)) });
    const resume = last!;
    await expect(trainSmall({ seed: 1, run: { resume } })).rejects.toMatchObject({ code: 'data' });
    await expect(trainSmall({ phase: 'dpo', run: { resume } })).rejects.toMatchObject({ code: 'data' });
    await expect(trainSmall({ run: { resume } })).rejects.toThrow('in the buffer 0 transitions were stored');
  });

  it('stops before a number that is none reaches the parameters', async () => {
    const student = bagOfWordsStudent(Random.fromSeed(0).stream('start'));
    const before = parametersOf(student);
    const broken = new Map([
      ['table', new Float32Array(49).fill(NaN)],
      ['bias', new Float32Array(7)],
    ]);
    student.imitationGradient = () => Promise.resolve({ loss: 1, gradients: broken });
    await expect(trainSmall({ student })).rejects.toThrow('gradient norm NaN');
    expect(parametersOf(student)).toEqual(before);
  });
});

describe('train with scaled losses', () => {
  const lossScaling = { start: 4, growth: 2, backoff: 0.5, interval: 5 } as const;

  /** A student whose gradient overflows in its third update. */
  function overflowing(): BagOfWordsStudent {
    const student = bagOfWordsStudent(Random.fromSeed(0).stream('start'));
    let calls = 0;
    const imitationGradient: BagOfWordsStudent['imitationGradient'] = async (rows) => {
      const found = await student.imitationGradient(rows);
      if (++calls === 3) found.gradients.get('bias')![0] = Infinity;
      return found;
    };
    return { ...student, imitationGradient };
  }

  it('skips an update that overflows, says so, and halves the scale that it had', async () => {
    const { lines, state } = await trainSmall({ student: overflowing(), settings: { lossScaling } });
    const updates = ofKind(lines, 'update');
    expect(updates.slice(0, 9).map(({ skipped, loss_scale: scale }) => [skipped, scale])).toEqual([
      ...[0, 0, 1].map((skipped) => [skipped, 4]),
      ...[0, 0, 0, 0, 0].map((skipped) => [skipped, 2]),
      [0, 4],
    ]);
    expect(updates[2]).toMatchObject({ loss: null, gradient_norm: null, update: 2 });
    expect(updates.at(-1)!['update']).toBe(updates.length - 1);
    expect(state.lossScale!.scale).toBeGreaterThan(2);
  });

  it('without an overflow ends in the very weights of unscaled ones', async () => {
    const [plain, scaled] = [await trainSmall(), await trainSmall({ settings: { lossScaling } })];
    expect(parametersOf(scaled.student)).toEqual(parametersOf(plain.student));
  });

  it('goes on from a checkpoint at the scale that it had', async () => {
    const moments: [StoredCheckpoint, number[][], readonly Transition[]][] = [];
    const student = overflowing();
    const whole = await trainSmall({
      ...{ student, settings: { lossScaling } },
      checkpoint: (at, transitions) =>
        void moments.push([structuredClone(at), parametersOf(student), structuredClone(transitions)]),
    });
    // the second checkpoint is the first one after the overflow
    const [resume, parameters, transitions] = moments[1]!;
    expect(resume.state.lossScale).toEqual({ scale: 2, finite: 2 });
    const again = bagOfWordsStudent(Random.fromSeed(9));
    [...again.parameters().values()].forEach(({ data }, index) => data.set(parameters[index]!));
    again.commit();
    const continued = await trainSmall({
      ...{ student: again, transitions, settings: { lossScaling }, run: { resume } },
    });
    expect(continued.state.lossScale).toEqual(whole.state.lossScale);
    expect(parametersOf(continued.student)).toEqual(parametersOf(whole.student));
  });
});

describe('train, preferences', () => {
  const settings = { learningRate: 0.05, updatesPerEpisode: 5, rounds: 3 };

  it('starts with rewards of exactly 0 and the loss that follows from them', async () => {
    const { lines } = await trainSmall({ phase: 'dpo', settings });
    const first = ofKind(lines, 'update')[0]!;
    expect([first['w_reward'], first['l_reward']]).toEqual([0, 0]);
    // −log σ(0) + ½ · NLL
    expect(first['loss']).toBeCloseTo(Math.log(2) + 0.5 * (first['nll'] as number), 6);
    expect(ofKind(lines, 'probe')[0]).toMatchObject({ w_reward: 0, l_reward: 0, margin: 0, update: 0 });
  });

  it('widens the margin between the expert’s commands and the student’s, seen and on the yardstick', async () => {
    const { lines } = await trainSmall({ phase: 'dpo', settings });
    const last = ofKind(lines, 'update').at(-1)!;
    expect((last['w_reward'] as number) - (last['l_reward'] as number)).toBeGreaterThan(0.01);
    const [before, after] = [ofKind(lines, 'probe')[0]!, ofKind(lines, 'probe').at(-1)!];
    expect(after['margin'] as number).toBeGreaterThan(0.01);
    expect(after['loss'] as number).toBeLessThan(before['loss'] as number);
  });

  it('pairs the expert’s command with the student’s own and leaves out steps where they agree', async () => {
    const { transitions, events } = await trainSmall({
      phase: 'dpo',
      settings: { ...settings, selection: { keep: 'all' } },
    });
    const steps = events.filter((event) => event.kind === 'step');
    const differing = steps.filter(({ own, label }) => own !== label);
    expect(differing.length).toBeLessThan(steps.length);
    const stored = (transitions as PreferenceTransition[]).map(({ chosen, rejected }) => [chosen, rejected]);
    expect(stored).toEqual(differing.map(({ own, label }) => [` ${label}`, ` ${own}`]));
  });

  it('asks the reference once for each pair, and keeps it as it was', async () => {
    const { reference, transitions } = await trainSmall({
      phase: 'dpo',
      settings: { ...settings, selection: { keep: 'all' } },
    });
    const judged = reference.calls.reduce((sum, { rows }) => sum + rows, 0);
    // two steps of each of three games are the yardstick; a pair has two answers
    expect(judged).toBe(2 * (transitions.length + 6));
    expect(parametersOf(reference)).toEqual(
      parametersOf(bagOfWordsStudent(Random.fromSeed(0).stream('start'))),
    );
  });

  it('can find a worse command for steps where both agree', async () => {
    const agreeing = {
      ...settings,
      rounds: 1,
      actWith: 'expert',
      selection: { keep: 'all' },
      updatesPerEpisode: 0,
    } as const;
    const { transitions } = await trainSmall({ phase: 'dpo', settings: { ...agreeing, agreed: 'random' } });
    expect(transitions).toHaveLength(6);
    for (const { chosen, rejected } of transitions as PreferenceTransition[])
      expect(rejected).not.toBe(chosen);
  });
});
