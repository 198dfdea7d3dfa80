/** What a student may say that is kept to the commands which its world accepts. */
import { EmacError } from '@emac/core';
import type { PolicyTexts } from './texts.ts';

/** The accepted commands as the student says them; undefined where it may say anything. Errors: `unavailable`. */
export function allowedAnswers(
  admissible: readonly string[] | undefined,
  { texts, admissibleOnly }: { texts: Pick<PolicyTexts, 'target'>; admissibleOnly: boolean },
): readonly string[] | undefined {
  if (!admissibleOnly) return undefined;
  if (admissible && admissible.length > 0) return admissible.map((command) => texts.target(command));
  throw new EmacError(
    'unavailable',
    'admissible commands only: the world does not say which it accepts; let the student say anything',
  );
}
