/** What a policy may say where it is kept to the commands that its environment accepts. */
import { EmacError } from '@emac/core';
import type { PolicyTexts } from './texts.ts';

/** The accepted commands as the policy says them; null where it may say anything. Errors: `unavailable`. */
export function allowedAnswers(
  admissible: readonly string[] | null,
  { texts, admissibleOnly }: { texts: Pick<PolicyTexts, 'target'>; admissibleOnly: boolean },
): readonly string[] | null {
  if (!admissibleOnly) return null;
  if (admissible && admissible.length > 0) return admissible.map((command) => texts.target(command));
  throw new EmacError(
    'unavailable',
    'admissible commands only: the environment does not say which commands it accepts; allow any command',
  );
}
