/**
 * A careful agent with the observations of a student under `--observe image`: texts without contents, and the present
 * frame. It is the hand-coded expert on an edited history: places seen earlier held nothing of use (else the agent
 * would have used it), and the current place holds what the frame shows.
 */
import type { History, Turn } from '@emac/core';
import { observedHistory } from '@emac/prompt';
import { handcodedCommand, type VisibleState } from '@emac/world';

/** The next command; null if the expert has none. Contents in `history` are ignored. */
export function frameCommand(
  history: History,
  visible: VisibleState,
  admissible: readonly string[],
): string | null {
  const { initial, turns } = observedHistory(history, 'image');
  const before = turns.map((turn, index) => emptied(turn, turns[index + 1]));
  return handcodedCommand({ initial, turns: [...before, ...looks(visible)] }, { admissible });
}

/** A turn as if nothing was found; a door opened next was closed. */
function emptied({ command, observation }: Turn, next: Turn | undefined): Turn {
  const place = /^(?:go to|open) (.+)$/.exec(command)?.[1];
  if (place === undefined || observation === 'Nothing happens.') return { command, observation };
  const wasClosed = next?.command === `open ${place}`;
  const found = wasClosed
    ? `The ${place} is closed.`
    : command.startsWith('open')
      ? `The ${place} is open. In it, you see nothing.`
      : `On the ${place}, you see nothing.`;
  return { command, observation: `${observation} ${found}` };
}

/** The frame's content, as if looked at. */
function looks({ facing }: VisibleState): Turn[] {
  return facing.map(({ name, openable, open, contents }) => {
    const list = contents.map((object) => `a ${object.name}`).join(', ') || 'nothing';
    const inside = openable
      ? `The ${name} is open. In it, you see ${list}.`
      : `On the ${name}, you see ${list}.`;
    return { command: `examine ${name}`, observation: openable && !open ? `The ${name} is closed.` : inside };
  });
}
