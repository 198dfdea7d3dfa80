/**
 * Observations without the arrival. ALFWorld up to 0.3.5 says `You arrive at loc 5. On the desk 1, …`, later versions
 * `You arrive at desk 1. On the desk 1, …`; the rest says the same, with the receptacle's name.
 */

/** The observation less its arrival sentences and trailing blanks; an arrival alone is kept. Idempotent, never throws. */
export function cleanObservation(observation: string): string {
  const whole = observation.trimEnd();
  const rest = whole.replace(/^(?:You arrive at [^.\n]+\.\s+)+/, '');
  return rest === '' ? whole : rest;
}
