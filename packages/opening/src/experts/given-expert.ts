/**
 * Guards a custom expert like a language model. An exception never becomes a label or a gap but stops the run, which
 * can be resumed. An answer that is no accepted command is unusable.
 */
import { EmacError, messageOf, type Expert, type LabelRequest } from '@emac/core';
import { labelFrom } from '../environments/given-label.ts';
import type { GivenExpert } from './expert-module.ts';

/** attempts, as for a language model */
const mostTries = 3;

/** Errors: `unavailable` if every attempt throws. */
export function guardedExpert(given: GivenExpert): Expert {
  return { label: async (request) => labelFrom(await asked(given, request), request) };
}

/** The expert gets a copy, so it cannot change anything here. */
async function asked(given: GivenExpert, request: LabelRequest): Promise<unknown> {
  for (let tries = 1; ; tries++)
    try {
      return await given.label(structuredClone(request));
    } catch (thrown) {
      if (tries < mostTries) continue;
      throw new EmacError(
        'unavailable',
        `--expert ${given.name}: threw ${tries} times in ${request.task.id}: ${messageOf(thrown)}; fix it, then resume`,
        { cause: thrown },
      );
    }
}
