/**
 * An expert that explains itself: one line `think: …` whenever the episode enters another stage (find, treat, put
 * away), then its commands. Thoughts follow from the texts alone, as for the hand-coded expert.
 */
import type { Expert, History } from '@emac/core';
import { readGoal, taskSentence, type Goal, type ObjectState } from './goal.ts';
import { classOf, recall, type Known } from './memory.ts';

/** Labels with a thought if one is due and missing in the history, else the expert's own. */
export function thinkingExpert(expert: Expert): Expert {
  return {
    label(request) {
      const { history } = request;
      const thought = thoughtOn(history);
      const command = `think: ${thought}`;
      const isDue = thought !== null && !history.turns.some((turn) => turn.command === command);
      return isDue ? Promise.resolve({ kind: 'action', command }) : expert.label(request);
    },
  };
}

/** The thought of this stage; null if the task fits no template. */
export function thoughtOn(history: History): string | null {
  const sentence = taskSentence(history.initial);
  const goal = sentence === null ? null : readGoal(sentence);
  if (!goal) return null;
  const known = recall(history);
  if (known.held === null) return toFind(goal, known);
  if (classOf(known.held) !== goal.object)
    return `I do not need the ${known.held}. I put it down where it fits.`;
  return withObject(known.held, goal, known);
}

const treatments: Readonly<Record<ObjectState, string>> = {
  clean: 'clean it in a sinkbasin',
  hot: 'heat it in a microwave',
  cool: 'cool it in a fridge',
};

function toFind(goal: Goal, known: Known): string {
  const { object } = goal;
  if (goal.kind === 'look') return `I have to find a ${object}, take it and turn on the ${goal.lamp}.`;
  const isOneThere = goal.count === 2 && placedIn(goal.receptacle, object, known);
  if (isOneThere) return `One ${object} is in place. I have to find another ${object}.`;
  const treatment = goal.state === null ? '' : `, ${treatments[goal.state]}`;
  const number = goal.count === 2 ? `two of ${object}, one after the other,` : `a ${object}`;
  return `I have to find ${number}${treatment} and bring it to the ${goal.receptacle}.`;
}

function withObject(held: string, goal: Goal, known: Known): string {
  if (goal.kind === 'look') return `I hold the ${held}. Now I need the ${goal.lamp}.`;
  const isTreated = goal.state !== null && known.states.get(held)?.has(goal.state);
  if (goal.state !== null && !isTreated) return `I hold the ${held}. I have to ${treatments[goal.state]}.`;
  return `The ${held} is ready. It goes to the ${goal.receptacle}.`;
}

function placedIn(receptacle: string, object: string, { contents }: Known): boolean {
  return [...contents].some(
    ([place, objects]) =>
      classOf(place) === receptacle && [...objects].some((each) => classOf(each) === object),
  );
}
