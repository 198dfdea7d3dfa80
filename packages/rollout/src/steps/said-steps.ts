/**
 * Steps collected by another process; only the policy's answers are taken from it. The trainer repeats the answers in
 * environments of its own, with the same function that collects steps. So rewards, ends and training data come from one
 * place. Afterwards it compares the environments' states.
 */
import {
  EmacError,
  type Acted,
  type ActorCritic,
  type Answer,
  type Question,
  type VectorState,
} from '@emac/core';
import { collectSteps, type CollectedSteps, type Collection } from './collect.ts';
import { groupsOf, type Group } from './together.ts';

/** The policy's answers in S steps of n environments. Step s of environment e is at s · n + e. */
export interface SaidSteps {
  /** [S · n] */
  readonly answers: readonly Answer[];
  /** numbers each answer took from its environment's generator [S · n] */
  readonly draws: readonly number[];
  /** [S · n] */
  readonly values: ArrayLike<number>;
  /** as `StepNumbers` has them [S · n] */
  readonly finalValues: ArrayLike<number>;
  /** [n] */
  readonly nextValues: ArrayLike<number>;
  /** digest of the environments' states after the last step */
  readonly after: string;
}

/** A digest of environment states; equal for equal states. */
export type StateDigest = (state: VectorState) => string;

/** Collects the steps of one group, and records the policy's answers. Errors: as `collectSteps`. */
export async function sayingSteps<Action>(
  collection: Collection<Action>,
  digest: StateDigest,
): Promise<SaidSteps> {
  const { actor, vector } = collection;
  const draws: number[] = [];
  const act: ActorCritic['act'] = async (questions, sampling) => {
    const before = questions.map(drawn);
    const acted = await actor.act(questions, sampling);
    questions.forEach((question, place) => draws.push((drawn(question) - before[place]!) >>> 0));
    return acted;
  };
  const speaking = { act, values: actor.values.bind(actor) };
  const { answers, values, finalValues, nextValues } = await collectSteps({ ...collection, actor: speaking });
  return { answers, draws, values, finalValues, nextValues, after: digest(vector.state()) };
}

/** Numbers drawn so far from a question's generator, modulo 2³²: the last word of its state counts them. */
function drawn({ random }: Question): number {
  return random!.state()[3];
}

/**
 * Repeats a collection from the answers recorded in each of its groups. Errors: those of the environments;
 * `check-failed` if one of them ends in another state here.
 */
export async function collectSaid<Action>(
  collection: Collection<Action>,
  said: readonly SaidSteps[],
  digest: StateDigest,
): Promise<CollectedSteps<Action>> {
  const { vector, together, steps } = collection;
  const count = vector.environments.length;
  const groups = groupsOf(count, together);
  const actor = { act: repeating(groups, said), values: async () => new Float32Array(count * (steps + 1)) };
  const collected = await collectSteps({ ...collection, together: null, actor });
  const state = vector.state();
  groups.forEach((group, part) => requireSame(group, digest(stateOf(state, group)), said[part]!.after));
  for (const [part, { first, end }] of groups.entries()) {
    const { nextValues, finalValues } = said[part]!;
    collected.nextValues.set(nextValues, first);
    for (let step = 0; step < steps; step++)
      for (let place = first; place < end; place++)
        collected.finalValues[step * count + place] = finalValues[step * (end - first) + place - first]!;
  }
  return collected;
}

/** The state of some environments. */
export function stateOf({ episodes, environments }: VectorState, { first, end }: Group): VectorState {
  return { episodes: episodes.slice(first, end), environments: environments.slice(first, end) };
}

/** Repeats the recorded answers step by step, and advances every generator as recorded. */
function repeating(groups: readonly Group[], said: readonly SaidSteps[]): ActorCritic['act'] {
  let step = 0;
  return async (questions): Promise<Acted> => {
    const answers: Answer[] = [];
    const values = new Float32Array(questions.length);
    for (const [part, { first, end }] of groups.entries())
      for (let place = first; place < end; place++) {
        const at = step * (end - first) + place - first;
        const { answers: own, draws, values: ownValues } = said[part]!;
        for (let draw = 0; draw < draws[at]!; draw++) questions[place]!.random!.uint32();
        answers.push(own[at]!);
        values[place] = ownValues[at]!;
      }
    step++;
    return { answers, values };
  };
}

function requireSame({ first, end }: Group, here: string, there: string): void {
  if (here === there) return;
  throw new EmacError(
    'check-failed',
    `steps of a worker: environments ${first} to ${end - 1} have another state there (${there.slice(0, 12)}) than here (${here.slice(0, 12)}) after the same actions; start a new run, on machines of one kind`,
  );
}
