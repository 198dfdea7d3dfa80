/** Small DAgger runs for tests: three tasks of fetching, a policy with true gradients, and all events. */
import {
  createImitationBuffer,
  createPreferenceBuffer,
  type ImitationTransition,
  type PreferenceTransition,
  type ReplayBuffer,
  type Transition,
} from '@emac/buffers';
import { parametersOf, Random } from '@emac/core';
import { policyActs } from '@emac/rollout';
import { bagOfWords, commands, fetchExpert, fetching, fetchTexts, type BagOfWords } from '@emac/testing';
import type { DaggerRun } from './dagger-run.ts';
import type { DaggerState, StoredCheckpoint } from './dagger-state.ts';
import { dagger } from './dagger.ts';
import { imitationLearner } from './methods/imitation-learner.ts';
import { preferenceLearner } from './methods/preference-learner.ts';
import { presetSettings } from './presets.ts';
import { collectProbe } from './probe.ts';
import type { MetricsLine, ProgressEvent } from './progress.ts';
import type {
  OptimizationSettings,
  PlaySettings,
  SampleSettings,
  TrainingSettings,
} from './label-settings.ts';
import { isJudged, labelMethod, learnsPairs, type Phase } from './methods/list.ts';

export interface Changes {
  readonly play?: Partial<PlaySettings>;
  readonly samples?: Partial<SampleSettings>;
  readonly optimization?: Partial<OptimizationSettings>;
  readonly preference?: Partial<TrainingSettings['preference']>;
}

export interface SmallRun extends Changes {
  readonly phase?: Phase;
  readonly seed?: number;
  readonly policy?: BagOfWords;
  /** initial buffer of a resumed run */
  readonly transitions?: readonly Transition[];
  readonly run?: Partial<DaggerRun>;
  /** called at every checkpoint, with the buffer's current content */
  readonly checkpoint?: (checkpoint: StoredCheckpoint, transitions: readonly Transition[]) => void;
  /** called for every drawn sample */
  readonly onRead?: (sample: Transition) => void;
}

/** Three games of four commands at most, played by the policy, nothing skipped, a constant rate; else as for the shipped model. */
export function smallSettings(phase: Phase, { play, samples, optimization, preference }: Changes = {}) {
  const preset = presetSettings('tiny', phase);
  const settings: TrainingSettings = {
    play: {
      ...preset.play,
      rounds: 3,
      gamesPerRound: 3,
      episodesPerUpdate: 1,
      maxSteps: 4,
      expertShare: policyActs,
      skipSolved: false,
      stopRepeating: false,
      ...play,
    },
    samples: { ...preset.samples, agreed: 'drop', ...samples },
    optimization: {
      ...preset.optimization,
      updatesPerEpisode: 5,
      learningRate: 0.2,
      schedule: 'constant',
      ...optimization,
    },
    preference: { ...preset.preference, ...preference },
  };
  return settings;
}

/** The policy that small runs of a seed begin with. */
export function beginner(seed = 0): BagOfWords {
  return bagOfWords(Random.fromSeed(seed).stream('start'));
}

/** A policy that can fetch exactly these things: each takes two commands. */
export function knowing(...things: readonly string[]): BagOfWords {
  const policy = bagOfWords(Random.fromSeed(0), 0);
  const table = parametersOf(policy).get('table')!;
  for (const thing of things) {
    const place = 'abc'.indexOf(thing);
    const weigh = (command: (typeof commands)[number], word: number, weight: number): void => {
      table.data[commands.indexOf(command) * table.shape[1]! + word] = weight;
    };
    // words are want-a, want-b, want-c, at-a, at-b, at-c, nothing: 4 for going against 2; there 6 for taking against 4
    weigh(`go ${thing}` as 'go a', place, 4);
    weigh(`take ${thing}` as 'take a', place, 2);
    weigh(`take ${thing}` as 'take a', 3 + place, 4);
  }
  policy.commit();
  return policy;
}

/** Puts parameters that were kept into a policy. */
export function setParameters(policy: BagOfWords, kept: readonly (readonly number[])[]): void {
  [...parametersOf(policy).values()].forEach(({ data }, place) => data.set(kept[place]!));
  policy.commit();
}

/** A run over the three tasks with its events; `train` starts it. */
export async function smallRun(asked: SmallRun = {}) {
  const phase = asked.phase ?? 'bc';
  const seed = Random.fromSeed(asked.seed ?? 0);
  const settings = smallSettings(phase, asked);
  const policy = asked.policy ?? beginner(asked.seed);
  const reference = beginner(asked.seed);
  const [environment, expert] = [fetching(), fetchExpert()];
  const distinct = settings.samples.selection.keep === 'distinct';
  const equalPairs = settings.samples.agreed === 'keep' ? 'keep' : 'drop';
  const labels = createImitationBuffer({ distinct });
  const pairs = createPreferenceBuffer({ distinct, equalPairs });
  const buffer = (phase === 'bc' ? labels : pairs) as ReplayBuffer<Transition>;
  for (const transition of asked.transitions ?? []) buffer.append(transition);
  const held = (): Transition[] => Array.from({ length: buffer.length }, (_, index) => at(index));
  const at = buffer.at.bind(buffer);
  buffer.at = (index) => {
    asked.onRead?.(at(index));
    return at(index);
  };
  const parts = { texts: fetchTexts, probe: await probeOf(phase, reference, seed) };
  const method = labelMethod(phase);
  const learner =
    method.over === 'answers'
      ? imitationLearner({
          ...parts,
          method: method.learn(policy),
          settings: settings.samples,
          buffer: labels,
        })
      : preferenceLearner({
          ...parts,
          method: method.learn(policy, settings.preference, reference),
          settings,
          reference: isJudged(phase) ? reference : null,
          buffer: pairs,
        });
  const lines: MetricsLine[] = [];
  const events: ProgressEvent[] = [];
  const { checkpoint } = asked;
  const run: DaggerRun = {
    phase,
    settings,
    policy,
    sampling: { kind: 'search', beams: 1 },
    expert,
    learner,
    texts: fetchTexts,
    environment,
    random: seed,
    parallel: 1,
    metrics: (line) => void lines.push(line),
    report: (event) => void events.push(event),
    ...(checkpoint && { checkpoint: (moment) => checkpoint(moment, held()) }),
    ...asked.run,
  };
  const train = (): Promise<DaggerState> => dagger(run);
  return { run, train, lines, events, policy, reference, environment, expert, held, settings };
}

/** The same, trained. */
export async function trainSmall(asked: SmallRun = {}) {
  const small = await smallRun(asked);
  const state = await small.train();
  return { ...small, state, transitions: small.held() };
}

function probeOf(phase: Phase, policy: BagOfWords, seed: Random) {
  return collectProbe({
    rollout: {
      environment: fetching(),
      policy,
      texts: fetchTexts,
      sampling: { kind: 'search', beams: 1 },
      expert: fetchExpert(),
      maxSteps: 4,
      admissibleOnly: false,
      parallel: 1,
    },
    random: seed.stream('probe'),
    withRejected: learnsPairs(phase),
  });
}

export const ofKind = (lines: readonly MetricsLine[], kind: MetricsLine['kind']): MetricsLine[] =>
  lines.filter((line) => line.kind === kind);

/** Events of one kind. */
export const told = <Kind extends ProgressEvent['kind']>(events: readonly ProgressEvent[], kind: Kind) =>
  events.filter((event): event is Extract<ProgressEvent, { kind: Kind }> => event.kind === kind);

export const labelsIn = (transitions: readonly Transition[]): readonly ImitationTransition[] =>
  transitions as ImitationTransition[];
export const pairsIn = (transitions: readonly Transition[]): readonly PreferenceTransition[] =>
  transitions as PreferenceTransition[];
