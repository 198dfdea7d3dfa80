/** Trains a second adapter: the networks and sessions of a student, under its projection and other adapter numbers. */
import { checkAdapter, type Adapter } from '@emac/backbone';
import { EmacError, type Trainable } from '@emac/core';
import { liveAdapter } from './adapter.ts';
import type { Engine } from './engine.ts';
import { lossGradient } from './loss-gradient.ts';
import type { PolicyParameters } from './rows/policy-parameters.ts';
import { promptStates, type PromptStates } from './prompt-states.ts';
import { score, scoreWithEntropy } from './scoring.ts';

export interface AdapterLearner extends Trainable, PromptStates {
  /** with live arrays */
  readonly adapter: Adapter;
}

/** Trains a copy of these numbers only. Errors: `usage` if the engine gives no adapter gradients, `data` for an adapter that it was not opened for. */
export function secondAdapter(
  engine: Engine,
  visual: PolicyParameters['visual'],
  given: Adapter,
): AdapterLearner {
  if (!engine.trains.adapter)
    throw new EmacError('usage', 'student: a second adapter needs a first one in training, got none');
  checkAdapter(given, engine.backbone.files, 'second adapter');
  const adapter = liveAdapter(given);
  engine.adapters.of(adapter.values());
  const parameters: PolicyParameters = { visual, adapter: () => adapter.values() };
  const alone: Engine = { ...engine, trains: { projection: false, adapter: true } };
  return {
    adapter,
    groups: [{ name: 'adapter', parameters: adapter.parameters, learningRateScale: 1 }],
    countAnswerTokens: engine.tokens.countAnswer,
    score: (rows) => score(engine, parameters, rows),
    scoreWithEntropy: (rows) => scoreWithEntropy(engine, parameters, rows),
    gradient: (rows, loss) => lossGradient(alone, parameters, { rows, loss }),
    ...promptStates(alone, parameters),
    commit: () => adapter.commit(),
  };
}
