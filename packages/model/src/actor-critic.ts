/**
 * A language model as an actor with a critic: the policy and a critic on its hidden states or on those of a separate adapter, called one after the other.
 * Gradients that reach nothing are not computed: rows with weight 0 are dropped from the policy loss, and a frozen policy is not differentiated at all.
 */
import {
  invariant,
  type ActorCritic,
  type ActorCriticGradient,
  type ActorCriticLosses,
  type ActorCriticRow,
  type Gradient,
  type Policy,
  type Trainable,
} from '@emac/core';
import { traceLoss, valueTerm } from '@emac/losses';
import type { Critic } from './critic.ts';
import type { Answers } from './prompt-states.ts';

export interface ActorCriticParts {
  readonly policy: Policy & Pick<Trainable, 'groups' | 'gradient' | 'commit'>;
  readonly critic: Critic;
}

/** Joins policy and critic for PPO; the caller disposes of both. */
export function actorCritic({ policy, critic }: ActorCriticParts): ActorCritic {
  return {
    groups: { policy: policy.groups, value: critic.groups },
    encode: policy.encode,
    decide: (questions, sampling) => policy.decide(questions, sampling),
    countPromptTokens: (text) => policy.countPromptTokens(text),
    act: async (questions, sampling) => {
      const answers = await policy.decide(questions, sampling);
      return { answers, values: await critic.values(questions.map(({ prompt }) => prompt)) };
    },
    values: (prompts, answers) => critic.values(prompts, answers),
    gradient: (rows, losses) => gradientOf({ policy, critic }, rows, losses),
    commit: () => {
      policy.commit();
      critic.commit();
    },
  };
}

async function gradientOf(
  { policy, critic }: ActorCriticParts,
  rows: readonly ActorCriticRow[],
  losses: ActorCriticLosses,
): Promise<ActorCriticGradient> {
  const counted = losses.policy ? rows.filter(({ weight }) => weight !== 0) : [];
  const ofPolicy = counted.length > 0 ? await policy.gradient(counted, losses.policy!) : null;
  const valued = valuedOf(rows, losses.value);
  const ofValues = await critic.gradient(
    rows.map(({ prompt }) => prompt),
    (value, place) => weightedTerm(losses.value, valued.terms[place]!, value),
    valued.answers,
  );
  return {
    policyLoss: ofPolicy?.loss ?? 0,
    valueLoss: ofValues.loss,
    gradients: sumOf(ofPolicy?.gradients ?? zeros(losses, policy), ofValues.gradients),
    logProbabilities: byRow(rows, counted, ofPolicy),
    values: ofValues.values,
  };
}

interface Valued {
  /** whose tokens have a value each; absent: prompts have one */
  readonly answers?: Answers;
  /** the row of each value, and its token */
  readonly terms: readonly TermPlace[];
}

interface TermPlace {
  readonly row: ActorCriticRow;
  readonly token: number;
}

/** Rows whose constants of the value loss are lists have a value before each token. */
function valuedOf(rows: readonly ActorCriticRow[], loss: ActorCriticLosses['value']): Valued {
  const { names } = traceLoss(loss);
  const isOfTokens = rows.some(({ constants }) =>
    names.some((name) => constants?.[name] !== undefined && typeof constants[name] !== 'number'),
  );
  if (!isOfTokens) return { terms: rows.map((row) => ({ row, token: 0 })) };
  const answers = rows.map((row) => row.answers[0] as readonly number[]);
  return {
    answers,
    terms: rows.flatMap((row, place) => answers[place]!.map((_, token) => ({ row, token }))),
  };
}

function weightedTerm(
  loss: ActorCriticLosses['value'],
  { row: { valueWeight, constants }, token }: TermPlace,
  value: number,
): { loss: number; slope: number } {
  const term = valueTerm(loss, value, (name) => {
    const given = constants![name]!;
    const number = typeof given === 'number' ? given : given[token];
    invariant(number !== undefined, `value loss: ${name} has no number for token ${token} of an answer`);
    return number;
  });
  return { loss: valueWeight * term.loss, slope: valueWeight * term.slope };
}

/** Zero gradients for a policy with nothing to learn from in these rows. */
function zeros(
  { policy: loss }: ActorCriticLosses,
  { groups }: ActorCriticParts['policy'],
): ReadonlyMap<string, Float32Array> {
  const parameters = loss ? groups.flatMap((group) => [...group.parameters]) : [];
  return new Map(parameters.map(([name, { data }]) => [name, new Float32Array(data.length)]));
}

/** Merges gradients by name; a name in both gets their sum. */
function sumOf(
  one: ReadonlyMap<string, Float32Array>,
  other: ReadonlyMap<string, Float32Array>,
): ReadonlyMap<string, Float32Array> {
  const sum = new Map(one);
  for (const [name, slopes] of other) {
    const found = sum.get(name);
    if (found) slopes.forEach((slope, place) => (found[place]! += slope));
    else sum.set(name, slopes);
  }
  return sum;
}

/** Empty arrays for skipped rows. */
function byRow(
  rows: readonly ActorCriticRow[],
  counted: readonly ActorCriticRow[],
  found: Gradient | null,
): (readonly number[])[] {
  const places = new Map(counted.map((row, place) => [row, place]));
  return rows.map((row) => {
    const place = places.get(row);
    return place === undefined || !found ? [] : found.logProbabilities[place]!;
  });
}
