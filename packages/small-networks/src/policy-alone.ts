/** The policy of an actor-critic alone, for methods without a critic (GRPO). The critic stays as it is. */
import {
  parametersOf,
  type ActorCritic,
  type GradientRow,
  type Policy,
  type Trainable,
  type ValueLoss,
} from '@emac/core';

export type PolicyAlone = Policy & Pick<Trainable, 'groups' | 'gradient' | 'commit'>;

/** The same policy, with the gradient of a policy loss in its own parameters. */
export function policyAlone(actorCritic: ActorCritic): PolicyAlone {
  const groups = actorCritic.groups.policy;
  const own = new Set(parametersOf({ groups }).keys());
  return {
    groups,
    encode: actorCritic.encode,
    decide: (questions, sampling) => actorCritic.decide(questions, sampling),
    countPromptTokens: (text) => actorCritic.countPromptTokens(text),
    async gradient(rows, loss) {
      const found = await actorCritic.gradient(rows.map(withoutValue), { policy: loss, value: unread });
      return {
        loss: found.policyLoss,
        gradients: new Map([...found.gradients].filter(([name]) => own.has(name))),
        logProbabilities: found.logProbabilities,
      };
    },
    commit: () => actorCritic.commit(),
  };
}

const withoutValue = (row: GradientRow) => ({ ...row, valueWeight: 0 });

/** Of weight 0 in every row. */
const unread: ValueLoss = { over: 'values', formula: (_arithmetic, { value }) => value };
