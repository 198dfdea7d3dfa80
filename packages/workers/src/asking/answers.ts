/**
 * Steps and answers of reinforcement learning on workers, a group of an update each, and evaluated episodes. Workers
 * return what the policy says; the trainer repeats it in its own environments, and computes rewards.
 */
import type { AnswersElsewhere, AskedGroup, AskedSteps, Asking, StepsElsewhere } from '@emac/algorithms';
import type { ActorCritic, ParameterSet, Prompt } from '@emac/core';
import { canonicalJson, sha256 } from '@emac/files';
import type { SaidSteps, ScoredEpisode, StateDigest } from '@emac/rollout';
import type { WorkedRun } from '../jobs/worked-run.ts';
import { carried } from '../plan/carried.ts';
import { unpackAnswers, unpackSteps, type PackedAnswers, type PackedSteps } from '../plan/packed-answers.ts';
import { learnedVersion, storeVersion } from '../plan/policy-version.ts';
import { promptSender, type SentPrompt } from '../plan/sent-prompt.ts';

/** What a player of steps is asked. */
export type SentSteps = GroupOfSteps | SentEpisode;

/** A group's steps in the form sent to workers; the result is `PackedSteps`. */
export interface GroupOfSteps extends AskedGroup, Pick<AskedSteps, 'steps' | 'temperature'> {
  /** seed and names of the run's generator, the source of episode seeds */
  readonly seeds: string;
}

/** An evaluated episode in the form sent to workers; the result is a `ScoredEpisode`. Such episodes have no watchers. */
export interface SentEpisode {
  readonly number: number;
  /** seed and names of the evaluation's generator */
  readonly random: string;
  readonly blankFrames: boolean;
}

/** What a player of answers is asked; the result is `PackedAnswers`. */
export interface SentAnswers {
  readonly temperature: number;
  readonly prompts: readonly {
    readonly prompt: SentPrompt;
    /** seed and names of each answer's generator */
    readonly randoms: readonly string[];
  }[];
}

/** Errors while playing: those of `WorkedRun.results` and of the folder. */
export function stepsElsewhere(run: WorkedRun, seeds: string): StepsElsewhere {
  const play = (
    { groups, steps, temperature, ...update }: AskedSteps,
    asking: Asking,
  ): Promise<SaidSteps[]> => {
    const sent = groups.map((group): GroupOfSteps => ({ ...group, steps, temperature, seeds }));
    return ofGroups<PackedSteps, SaidSteps>(run, { ...update, sent, asking }, unpackSteps);
  };
  return { play, digest: stateDigest };
}

/** `check` throws for a prompt that is not allowed. Errors while answering: also those of `check`. */
export function answersElsewhere(run: WorkedRun, check: (prompt: Prompt) => void): AnswersElsewhere {
  const send = promptSender(run.folder);
  return async ({ groups, temperature, ...update }, asking) => {
    for (const { prompt } of groups.flat()) check(prompt);
    const sent = groups.map((group): SentAnswers => {
      return {
        temperature,
        prompts: group.map(({ prompt, randoms }) => ({ prompt: send(prompt), randoms })),
      };
    });
    return ofGroups<PackedAnswers, ReturnType<typeof unpackAnswers>>(
      run,
      { ...update, sent, asking },
      unpackAnswers,
    );
  };
}

interface AskedGroups {
  readonly update: number;
  readonly draw?: number;
  readonly parameters: ParameterSet;
  readonly sent: readonly (GroupOfSteps | SentAnswers)[];
  readonly asking: Asking;
}

/** more than an update has groups */
const groupsAtMost = 2 ** 20;

async function ofGroups<Packed, Said>(
  { folder, results }: WorkedRun,
  { update, draw = 0, parameters, sent, asking }: AskedGroups,
  unpack: (packed: Packed) => Said,
): Promise<Said[]> {
  const version = storeVersion(folder, { parameters, adapter: null });
  const jobs = sent.map((input, group) => ({ seed: update, shard: draw * groupsAtMost + group, input }));
  const asked = { verb: 'play', part: 'updates', update, version, jobs, asking } as const;
  const said: Said[] = [];
  for await (const [, packed] of results(asked, (result) => carried<Packed>(folder, result)))
    said.push(unpack(packed));
  return said;
}

export interface ScoredPart extends Omit<SentEpisode, 'number'> {
  /** of the run: the evaluation */
  readonly part: string;
  readonly actorCritic: Pick<ActorCritic, 'groups'>;
}

/** Gives the score of each of these episodes as it arrives. Errors while playing: as `stepsElsewhere`. */
export function scoresElsewhere(
  { folder, results }: WorkedRun,
  { part, actorCritic: { groups }, ...of }: ScoredPart,
) {
  return async (
    numbers: readonly number[],
    ended: (number: number, scored: ScoredEpisode) => void,
  ): Promise<void> => {
    const version = storeVersion(folder, learnedVersion({ groups: [...groups.policy, ...groups.value] }));
    const jobs = numbers.map((number) => ({ seed: number, input: { number, ...of } satisfies SentEpisode }));
    const asked = { verb: 'play', part, version, jobs, asTheyCome: true } as const;
    for await (const [place, scored] of results(asked, (result) => carried<ScoredEpisode>(folder, result)))
      ended(numbers[place]!, scored);
  };
}

/** Digest of environment states, as JSON. */
export const stateDigest: StateDigest = (state) => sha256(Buffer.from(canonicalJson(state)));
