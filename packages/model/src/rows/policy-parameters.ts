/**
 * A policy's parameters beside the frozen networks: a projection, which makes visual tokens, and an adapter, fed to the
 * language model. Any number of policies share the networks' sessions.
 */
import type { AdapterValues } from '@emac/backbone';
import type { VisualTokens } from './visual-tokens.ts';

export interface PolicyParameters {
  /** null for a model that reads text alone */
  readonly visual: VisualTokens | null;
  /** the adapter's numbers of the last `commit`; null for the base alone */
  readonly adapter: () => AdapterValues | null;
}

/** The parts that a student trains; the others get no gradient. */
export interface Trains {
  readonly projection: boolean;
  readonly adapter: boolean;
}

export const projectionAlone: Trains = { projection: true, adapter: false };
