/**
 * A custom expert: a JavaScript file that exports `label(request)`. It is code, so it is loaded only by an explicit
 * call, with a path that a person has typed; naming it in a configuration loads nothing.
 */
import { EmacError, messageOf, type Expert, type LabelRequest } from '@emac/core';
import type { ModuleOptions } from '../environments/environment-module.ts';
import { labelFrom } from '../environments/given-label.ts';
import { NoAnswer } from '../environments/module-thread.ts';
import { ownFunction } from '../own-function.ts';

/** An expert that is given to a run, not made from its configuration. */
export interface GivenExpert {
  /** for people, such as the path of its file */
  readonly name: string;
  /** of its code, which must be the same on resume; packages that it imports are not included */
  readonly sha256: string;
  /** A command, a label as core's contract has it, or nothing; may be a promise, may throw. */
  label(request: LabelRequest): unknown;
}

// it may ask a service, which may want a key
const wanted = { flag: '--expert', name: 'label', parameters: 'request', seesKeys: true };

/**
 * Runs the file and takes its `label`: exported by name, as the default, or as a method of the default. Errors:
 * `missing`; `data` if it fails or exports no such function.
 */
export async function loadExpertModule(path: string, options?: ModuleOptions): Promise<GivenExpert> {
  const { sha256, thread } = await ownFunction(path, wanted, options);
  return {
    name: path,
    sha256,
    label: (request) => thread.call({ call: 'run', where: `label for ${request.task.id}` }, request),
  };
}

/** attempts, as for a language model */
const mostTries = 3;

/** Errors: `unavailable` if every attempt throws, or one never answers. */
export function guardedExpert(given: GivenExpert): Expert {
  return { label: async (request) => labelFrom(await asked(given, request), request) };
}

/** The expert gets a copy, so it cannot change anything here. */
async function asked(given: GivenExpert, request: LabelRequest): Promise<unknown> {
  for (let tries = 1; ; tries++)
    try {
      return await given.label(structuredClone(request));
    } catch (thrown) {
      if (thrown instanceof NoAnswer)
        throw new EmacError('unavailable', `--expert ${given.name}: ${thrown.message}; then resume`, {
          cause: thrown,
        });
      if (tries < mostTries) continue;
      throw new EmacError(
        'unavailable',
        `--expert ${given.name}: threw ${tries} times in ${request.task.id}: ${messageOf(thrown)}; fix it, then resume`,
        { cause: thrown },
      );
    }
}
