/** The answers allowed to a policy that is restricted to accepted commands. */
import { EmacError, type Observation, type Speech } from '@emac/core';

/** The accepted commands as the policy says them; null if any answer is allowed. Errors: `unavailable`. */
export function allowedAnswers(
  observation: Observation,
  { texts, admissibleOnly }: { texts: Pick<Speech, 'target'>; admissibleOnly: boolean },
): readonly string[] | null {
  if (!admissibleOnly) return null;
  const { admissible } = observation;
  if (admissible && admissible.length > 0)
    return admissible.map((command) => texts.target(command, observation));
  throw new EmacError(
    'unavailable',
    'admissible commands only: the environment does not list the commands it accepts; allow any command',
  );
}
