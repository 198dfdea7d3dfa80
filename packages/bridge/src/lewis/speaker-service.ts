/** A speaker as the published service: `/describe`, `/batch_describe`, `/health`. */
import type { Speaker } from '@emac/lewis';
import type { Hono } from 'hono';
import { speakerAnswerer } from './answerer.ts';
import { serviceOf, type ServiceOptions } from './service.ts';

export interface SpeakerServiceOptions extends ServiceOptions {
  readonly speaker: Speaker;
}

/**
 * The service as an application. A result of `/batch_describe` without answers has no descriptions and a reason in
 * `error`.
 */
export function speakerService(options: SpeakerServiceOptions): Hono {
  return serviceOf(
    {
      who: 'Speaker',
      answerer: speakerAnswerer(options.speaker),
      one: {
        path: '/describe',
        reply: (outcome) => {
          if ('error' in outcome) return outcome;
          const [description] = outcome.answers;
          if (outcome.answers.length === 1) return { description };
          return {
            error: `candidate_paths: must be one picture, got ${outcome.answers.length}; use /batch_describe for several`,
          };
        },
      },
      many: {
        path: '/batch_describe',
        // each item has its own descriptions; the original gives every item all of them
        result: (outcome) =>
          'error' in outcome ? { descriptions: [], error: outcome.error } : { descriptions: outcome.answers },
      },
    },
    options,
  );
}
