/** Labels that are no command of their environment: each ends its episode, and all are told of at the end. */
import type { Label } from '@emac/core';
import { warn, type Listener } from '@emac/opening';

export interface UnusableLabels {
  /** Counts a label that is no command. */
  hear(label: Label | null): void;
  /** Warns of those counted. */
  tell(): void;
}

export function unusableLabels(listener: Listener | undefined): UnusableLabels {
  const reasons: string[] = [];
  return {
    hear(label) {
      if (label?.kind === 'unusable' && label.cause === 'no-command') reasons.push(label.reason);
    },
    tell() {
      const [first] = reasons;
      if (first === undefined) return;
      const episodes = reasons.length === 1 ? '1 episode' : `${reasons.length} episodes`;
      warn(listener, `${episodes} ended at a label that is no command, first: ${first.slice(0, 200)}`);
    },
  };
}
