import { EmacError } from '@emac/core';

/** Errors: `usage` for an option that is no positive whole number. */
export function requirePositive(id: string, options: Readonly<Record<string, number>>): void {
  for (const [name, value] of Object.entries(options))
    if (!Number.isInteger(value) || value <= 0)
      throw new EmacError('usage', `${id}: ${name} must be a positive whole number, got ${value}`);
}

/** Errors: `usage` for a number that is no action. */
export function requireAction(id: string, actions: readonly string[], action: number): void {
  if (!Number.isInteger(action) || action < 0 || action >= actions.length)
    throw new EmacError(
      'usage',
      `${id}: an action is a number from 0 to ${actions.length - 1}, got ${action}`,
    );
}
