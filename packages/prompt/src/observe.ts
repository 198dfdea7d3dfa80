/**
 * What of a history the student is given beside the frame. The whole of it (`text`, `both`), or, where contents are to
 * be seen in the frame alone (`image`), only where the agent is, what it holds and whether a command was accepted.
 */
import type { History, Turn } from '@emac/core';

/** `text`: the texts and a blank frame; `image`: the frame and texts without contents; `both`: texts and frame. */
export type Observe = (typeof observeForms)[number];

export const observeForms = ['text', 'image', 'both'] as const;

/** The history as the student is given it; the room's places and the task always stay. Never throws. */
export function observedHistory(history: History, observe: Observe): History {
  return observe === 'image' ? { ...history, turns: history.turns.map(withoutContents) } : history;
}

/** Sentences of ALFWorld that say what was done, where the agent is, or what it holds. */
const kept =
  /^(?:You (?:arrive at|open|close|pick up|move|put|heat|clean|cool|sliced?|turn (?:on|off)|are facing|are (?:not )?carrying)\b|You are in the middle of a room\b|Nothing happens\b|OK\b)[^.]*\./;

/** A turn whose observation tells no contents: its first sentence where that is one of deeds, else that it was done. */
function withoutContents({ command, observation }: Turn): Turn {
  const sentence = kept.exec(observation.trim())?.[0];
  return { command, observation: sentence ?? 'Done.' };
}
