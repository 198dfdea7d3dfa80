/** The policy of a small network alone, for methods without a critic (imitation, DPO, GRPO). The critic stays as it is. */
import { parametersOf, type GradientRow, type Policy, type Trainable, type ValueLoss } from '@emac/core';
import type { SmallNetwork } from './small-network.ts';

export type PolicyAlone = Policy & Trainable;

/** The same policy, with the gradient of a policy loss in its own parameters. */
export function policyAlone(network: SmallNetwork): PolicyAlone {
  const groups = network.groups.policy;
  const own = new Set(parametersOf({ groups }).keys());
  return {
    groups,
    encode: network.encode,
    decide: (questions, sampling) => network.decide(questions, sampling),
    countPromptTokens: (text) => network.countPromptTokens(text),
    async gradient(rows, loss) {
      const found = await network.gradient(rows.map(withoutValue), { policy: loss, value: unread });
      return {
        loss: found.policyLoss,
        gradients: new Map([...found.gradients].filter(([name]) => own.has(name))),
        logProbabilities: found.logProbabilities,
      };
    },
    score: (rows) => network.score(rows),
    scoreWithEntropy: (rows) => network.scoreWithEntropy(rows),
    // the action
    countAnswerTokens: () => 1,
    commit: () => network.commit(),
  };
}

const withoutValue = (row: GradientRow) => ({ ...row, valueWeight: 0 });

/** Of weight 0 in every row. */
const unread: ValueLoss = { over: 'values', formula: (_arithmetic, { value }) => value };
