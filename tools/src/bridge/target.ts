/** The target of a fuzz test. */
import type { Random } from '@emac/core';

export interface Sent {
  readonly path: string;
  readonly body: Uint8Array<ArrayBuffer>;
  readonly headers: Record<string, string>;
}

/** A server, and bodies for it. */
export interface Target {
  readonly name: string;
  readonly draw: (random: Random) => Sent;
  readonly open: () => Promise<{ readonly address: string; readonly close: () => Promise<void> }>;
}
