/**
 * Removes the arrival from observations. ALFWorld up to 0.3.5 writes `You arrive at loc 5. On the desk 1, …`, later
 * versions `You arrive at desk 1. On the desk 1, …`; the rest is the same, with the receptacle's name.
 */

/** The observation without arrival sentences and trailing blanks; an arrival alone is kept. Idempotent, never throws. */
export function cleanObservation(observation: string): string {
  const whole = observation.trimEnd();
  const rest = whole.replace(/^(?:You arrive at [^.\n]+\.\s+)+/, '');
  return rest === '' ? whole : rest;
}
