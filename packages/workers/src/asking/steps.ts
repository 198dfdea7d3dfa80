/**
 * Steps of reinforcement learning on workers, a group of environments each, and evaluated episodes. Workers return what
 * the policy says; the trainer repeats it in its own environments.
 */
import type { AskedGroup, AskedSteps, Asking, StepsElsewhere } from '@emac/algorithms';
import type { ActorCritic } from '@emac/core';
import { canonicalJson, sha256 } from '@emac/files';
import type { Json } from '@emac/queue';
import type { SaidSteps, ScoredEpisode, StateDigest } from '@emac/rollout';
import { saidIn, scoreIn } from '../jobs/result-forms.ts';
import type { WorkedRun } from '../jobs/worked-run.ts';
import { carried } from '../plan/carried.ts';
import { learnedVersion, storeVersion } from '../plan/policy-version.ts';

/** What a player of steps is asked. */
export type SentSteps = GroupOfSteps | SentEpisode;

/** A group's steps in the form sent to workers; the result is `SaidSteps`. */
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

/** Errors while playing: those of `WorkedRun.results` and of the folder. */
export function stepsElsewhere({ folder, results }: WorkedRun, seeds: string): StepsElsewhere {
  const play = async (
    { groups, steps, temperature, update, parameters }: AskedSteps,
    asking: Asking,
  ): Promise<SaidSteps[]> => {
    const version = storeVersion(folder, { parameters, adapter: null });
    const jobs = groups.map((group, shard) => {
      return { seed: update, shard, input: { ...group, steps, temperature, seeds } satisfies GroupOfSteps };
    });
    const asked = { verb: 'play', part: 'updates', update, version, jobs, asking } as const;
    const said: SaidSteps[] = [];
    const read = async (result: Json, place: number) =>
      saidIn(await carried<unknown>(folder, result), { steps, environments: groups[place]!.randoms.length });
    for await (const [, each] of results(asked, read)) said.push(each);
    return said;
  };
  return { play, digest: stateDigest };
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
    const read = async (result: Json) => scoreIn(await carried<unknown>(folder, result));
    for await (const [place, scored] of results(asked, read)) ended(numbers[place]!, scored);
  };
}

/** Digest of environment states, as JSON. */
export const stateDigest: StateDigest = (state) => sha256(Buffer.from(canonicalJson(state)));
