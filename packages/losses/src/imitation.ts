/** The imitation loss for training: behaviour cloning of every token of the expert's answer. */
import type { TokenLoss } from '@emac/core';
import { behaviourCloning } from './behaviour-cloning.ts';

/** −log p of each token, in nats; weights of 1/n give the token mean of a micro-batch with n tokens. */
export const imitationLoss: TokenLoss = {
  over: 'tokens',
  formula: (arithmetic, { logProbability }) => behaviourCloning(arithmetic, logProbability),
};
