/**
 * Somebody's own expert behind the same guard as a language model: what it throws never becomes a label or a gap, but stops the run, which
 * can go on; what is no command that the world accepts is no label.
 */
import { EmacError, messageOf, type Expert, type LabelRequest } from '@emac/core';
import { labelFrom } from '../environments/given-label.ts';
import type { GivenExpert } from './expert-module.ts';

/** as often as a language model is asked that fails to answer */
const mostTries = 3;

/** Errors: `unavailable` where it throws as often as it is asked. */
export function guardedExpert(given: GivenExpert): Expert {
  return { label: async (request) => labelFrom(await asked(given, request), request) };
}

/** It is handed a copy: what it does to that changes nothing here. */
async function asked(given: GivenExpert, request: LabelRequest): Promise<unknown> {
  for (let tries = 1; ; tries++)
    try {
      return await given.label(structuredClone(request));
    } catch (thrown) {
      if (tries < mostTries) continue;
      throw new EmacError(
        'unavailable',
        `--expert ${given.name}: threw ${tries} times in ${request.task.id}: ${messageOf(thrown)}; mend it and go on`,
        { cause: thrown },
      );
    }
}
