import { EmacError } from '@emac/core';

/** Errors: `usage` for an option that is no positive whole number. */
export function requirePositive(id: string, options: Readonly<Record<string, number>>): void {
  for (const [name, value] of Object.entries(options))
    if (!Number.isInteger(value) || value <= 0)
      throw new EmacError('usage', `${id}: ${name} must be a positive whole number, got ${value}`);
}
