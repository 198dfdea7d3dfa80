/**
 * The part of a history given to the student beside the frame. `text` and `both` give all of it. With `image`, contents
 * are seen only in the frame: the texts tell where the agent is, what it holds and whether a command was accepted.
 */
import type { History, Turn } from '@emac/core';

/** `text`: the texts and a blank frame; `image`: the frame and texts without contents; `both`: texts and frame. */
export type Observe = (typeof observeForms)[number];

export const observeForms = ['text', 'image', 'both'] as const;

/** The history as given to the student; the room's places and the task always stay. Never throws. */
export function observedHistory(history: History, observe: Observe): History {
  return observe === 'image' ? { ...history, turns: history.turns.map(withoutContents) } : history;
}

/** ALFWorld's sentences about actions, the agent's place, and what it holds. */
const kept =
  /^(?:You (?:arrive at|open|close|pick up|move|put|heat|clean|cool|sliced?|turn (?:on|off)|are facing|are (?:not )?carrying)\b|You are in the middle of a room\b|Nothing happens\b|OK\b)[^.]*\./;

/** A turn without contents in its observation: its first sentence if that describes an action, else a note that it was done. */
function withoutContents({ command, observation }: Turn): Turn {
  const sentence = kept.exec(observation.trim())?.[0];
  return { command, observation: sentence ?? 'Done.' };
}
