/** A listener as the published service: `/score`, `/batch_score`, `/health`. */
import { scoreCandidates, type Listener } from '@emac/lewis';
import type { Hono } from 'hono';
import { listenerAnswerer } from './answerer.ts';
import { serviceOf, type ServiceOptions } from './service.ts';

export interface ListenerServiceOptions extends ServiceOptions {
  readonly listener: Listener;
}

/**
 * The service as an application. A result of `/batch_score` without answers has predicted_index −1 and a reason in
 * `error`.
 */
export function listenerService(options: ListenerServiceOptions): Hono {
  return serviceOf(
    {
      who: 'Listener',
      answerer: listenerAnswerer(options.listener),
      one: {
        path: '/score',
        reply: (outcome) => ('error' in outcome ? outcome : scored(outcome.answers)),
      },
      many: {
        path: '/batch_score',
        result: (outcome, { candidate_paths: candidates }) =>
          'error' in outcome
            ? {
                yes_probabilities: candidates.map(() => 0),
                predicted_index: -1,
                reward_score: 0,
                error: outcome.error,
              }
            : scored(outcome.answers),
      },
    },
    options,
  );
}

function scored(yesProbabilities: readonly number[]) {
  const { predicted, rewardScore } = scoreCandidates(yesProbabilities);
  return { yes_probabilities: yesProbabilities, predicted_index: predicted, reward_score: rewardScore };
}
