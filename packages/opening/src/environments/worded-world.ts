/**
 * A robot's table for language models: each step commands the hand by one of a few words, and answers are JSON with the
 * word, as with cards. There is no published prompt; this one has the task, the words, and the answer's form.
 */
import {
  environmentOf,
  invariant,
  replayingPlayer,
  type KindSettings,
  type LocalWorld,
  type OpenedKind,
  type StepEnvironment,
  type Task,
  type TaskSet,
} from '@emac/core';
import { wordsSpeech } from '@emac/postprocess';

/**
 * An environment with numbered starts, controlled by words. Errors: those of the world for a setting without meaning
 * there.
 */
export function wordedWorld(world: LocalWorld, settings: KindSettings): OpenedKind {
  const { id, tasks, actions } = world;
  const make = (set: TaskSet) => world.make({ ...settings, starts: { set, isCounted: true } });
  const placeOf = placesOf(world);
  const words = actions.map((word) => word.toLowerCase());
  return {
    id,
    maxSteps: settings.maxSteps ?? world.maxSteps,
    tasks,
    environment(chosen) {
      const inner = environmentOf(
        chosen.map((task) => ({ id: placeOf(task).set, seed: placeOf(task).number })),
        { make: (set) => make(set as TaskSet) },
      );
      return {
        tasks: chosen,
        async begin(task, seed) {
          const place = inner.tasks[chosen.findIndex((each) => each.id === task.id)];
          invariant(place, `${id}: ${task.id} is not one of its tasks`);
          return { ...(await inner.begin(place, seed)), task };
        },
      };
    },
    speech: wordsSpeech(
      {
        ...world,
        words: { asksActionOnly: true, asksScores: false, isAllInText: false, prompt: promptOf(world) },
      },
      { maxSteps: null },
    ),
    player: replayingPlayer<number, StepEnvironment>({
      begin(task) {
        const { set, number } = placeOf(task);
        const made = make(set);
        made.reset(number);
        return made;
      },
      actionOf(command) {
        const action = words.indexOf(command.trim().toLowerCase());
        return action < 0 ? null : action;
      },
      label: (made) => ({ kind: 'action', command: actions[world.expert(made)]! }),
    }),
  };
}

const promptOf =
  ({ actions, offered }: LocalWorld) =>
  ({ text }: { readonly text: string }): string =>
    [
      `You see a robot's hand over a table. Your task is to ${text}.`,
      `Tell the hand one of: ${offered.map((action) => `"${actions[action]!}"`).join(', ')}.`,
      'Answer with JSON: {"action": "..."}',
    ].join('\n');

/** Maps a task to its start: environments with numbered starts begin by number. */
function placesOf({ id, tasks }: LocalWorld) {
  const places = new Map<string, { readonly set: TaskSet; readonly number: number }>();
  for (const set of ['training', 'heldOut'] as const)
    for (let number = 0; number < (tasks[set].count ?? 0); number++)
      places.set(tasks[set].at(number).id, { set, number });
  return ({ id: name }: Task) => {
    const place = places.get(name);
    invariant(place, `${id}: ${name} is not one of its tasks`);
    return place;
  };
}
