/**
 * The trainer's side of steps on workers: each group of environments of an update is a job and returns the policy's
 * answers.
 */
import type { AskedGroup, AskedSteps, Asking, StepsElsewhere } from '@emac/algorithms';
import { canonicalJson, sha256 } from '@emac/files';
import type { Workers } from '@emac/opening';
import type { Json } from '@emac/queue';
import type { SaidSteps, StateDigest } from '@emac/rollout';
import { stillThere } from '../jobs/still-there.ts';
import { updateJobs, type UpdateJobs, type UpdateJobsOf } from '../jobs/update-jobs.ts';
import { carried, carry } from '../plan/carried.ts';
import {
  packAnswers,
  packNumbers,
  unpackAnswers,
  unpackNumbers,
  type PackedAnswers,
} from '../plan/packed-answers.ts';
import type { Planned } from '../plan/policy-plan.ts';
import { storeVersion } from '../plan/policy-version.ts';

/** The input of a `steps` job; `asked` is a carried `SentSteps`. */
export interface StepsInput extends Planned {
  readonly asked: Json;
}

/** A group's steps in the form sent to workers. */
export interface SentSteps extends AskedGroup, Pick<AskedSteps, 'steps' | 'temperature'> {
  /** seed and names of the run's generator, the source of episode seeds */
  readonly seeds: string;
}

export interface RunSteps extends Pick<UpdateJobs, 'agreed' | 'forget'> {
  readonly elsewhere: StepsElsewhere;
}

export interface RunStepsParts extends Omit<UpdateJobsOf, 'kind'> {
  readonly start: string | null;
  readonly seeds: string;
}

/**
 * Lets workers play the steps of a run. Errors while playing: those of queue and folder; `interrupted`, `check-failed`
 * as `gather`.
 */
export function runSteps(workers: Workers, parts: RunStepsParts): RunSteps {
  const { folder } = workers;
  const { plan, start, seeds } = parts;
  const jobs = updateJobs(workers, { ...parts, kind: 'steps' });
  const play = async (
    { update, steps, temperature, parameters, groups }: AskedSteps,
    asking: Asking,
  ): Promise<SaidSteps[]> => {
    const inputs = groups.map((group) => {
      const sent: SentSteps = { ...group, steps, temperature, seeds };
      return { plan, start, asked: carry(folder, sent) } satisfies StepsInput;
    });
    const version = storeVersion(folder, { parameters, adapter: null });
    const results = await jobs.done({ update, version, inputs }, asking);
    const said: SaidSteps[] = [];
    for (const result of results) {
      const own = { task: `update ${update}`, run: parts.run };
      said.push(unpackSteps(await stillThere(own, () => carried<PackedSteps>(folder, result))));
    }
    return said;
  };
  const { agreed, forget } = jobs;
  return { elsewhere: { play, digest: stateDigest }, agreed, forget };
}

/** The carried result of a `steps` job. */
export interface PackedSteps extends Pick<SaidSteps, 'draws' | 'after'> {
  readonly answers: PackedAnswers;
  readonly values: string;
  readonly finalValues: string;
  readonly nextValues: string;
}

export function packSteps({
  answers,
  values,
  finalValues,
  nextValues,
  draws,
  after,
}: SaidSteps): PackedSteps {
  return {
    answers: packAnswers(answers),
    values: packNumbers(values),
    finalValues: packNumbers(finalValues),
    nextValues: packNumbers(nextValues),
    draws,
    after,
  };
}

function unpackSteps({ answers, values, finalValues, nextValues, ...said }: PackedSteps): SaidSteps {
  return {
    ...said,
    answers: unpackAnswers(answers),
    values: unpackNumbers(values),
    finalValues: unpackNumbers(finalValues),
    nextValues: unpackNumbers(nextValues),
  };
}

/** Digest of environment states, as JSON. */
export const stateDigest: StateDigest = (state) => sha256(Buffer.from(canonicalJson(state)));
