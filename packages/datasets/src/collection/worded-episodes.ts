/** Episodes of environments with actions in words: their player, a file or a person labels and acts, but for random actions. */
import {
  EmacError,
  LostEpisode,
  type Expert,
  type Label,
  type OpenedKind,
  type Random,
  type Task,
} from '@emac/core';
import { encodePng } from '@emac/images';
import { silent, type Host } from '@emac/opening';
import { labelled, noFrame, rollout, textOf, type Rollout } from '@emac/rollout';
import type { EpisodeSettings } from './collection-settings.ts';
import type { CollectedStep, PlayEpisode } from './collected-steps.ts';
import { wholeSpeech, wordedTexts } from './worded-record.ts';

interface WordedSettings extends Pick<EpisodeSettings, 'labelNoise' | 'randomActions'> {
  readonly expert: Expert;
  readonly signal: Host['signal'];
  readonly hear?: ((label: Label | null) => void) | undefined;
}

/**
 * Episodes of the training tasks, each task once in random order before repeats: the player acts in a rollout, but for the random
 * actions. An episode ends where the player knows no action.
 */
export function wordedEpisodes(
  opened: OpenedKind,
  { labelNoise, randomActions, expert, signal, hear }: WordedSettings,
  random: Random,
): PlayEpisode<CollectedStep> {
  const setup: Rollout = {
    environment: opened,
    policy: silent,
    texts: wholeSpeech(opened),
    sampling: { kind: 'search', beams: 1 },
    expert,
    asksPolicy: false,
    maxSteps: opened.maxSteps,
    stopRepeating: false,
    admissibleOnly: false,
    policyMemory: false,
    randomActions,
    parallel: 1,
    ...(signal && { signal }),
  };
  const taskOf = tasksOf(opened, random.stream('tasks'));
  return async function* (episode, most) {
    const { task, number } = taskOf(episode);
    const chance = random.stream('play').stream(episode);
    const attempt = { task, number: episode, random: chance, memories: [], expertShare: 1, made: [] };
    // a person is asked about no step that the dataset has no room for
    const maxSteps = labelNoise === 0 ? Math.min(setup.maxSteps, most) : setup.maxSteps;
    const [played] = await rollout({ ...setup, maxSteps }, [attempt]);
    const { steps, fault } = played!;
    if (fault !== undefined) throw new LostEpisode(fault);
    for (const { observation, prompt, label } of steps) {
      hear?.(label);
      const best = labelled(label);
      if (best === null) return;
      const others = (observation.admissible ?? []).filter((action) => action !== best);
      const isNoisy = chance.uniform() < labelNoise && others.length > 0;
      const said = isNoisy ? chance.pick(others) : best;
      const source = { task_type: task.type ?? opened.id, game_id: task.id };
      yield {
        picture: () => encodePng(observation.frames[0] ?? noFrame),
        texts: { ...wordedTexts(textOf(prompt!), setup.texts.target(said, observation), said), ...source },
        isNoisy,
        episode,
        shared: number,
      };
    }
  };
}

/** Errors: `usage` without a scripted player. */
export function requirePlayer({ id, player }: OpenedKind): NonNullable<OpenedKind['player']> {
  if (player) return player;
  throw new EmacError(
    'usage',
    `${id}: has no scripted player to collect from; give one with --expert FILE, or let its own file export expert(task, history)`,
  );
}

/** The task of each episode: finite tasks in random order, then again; endless ones in sequence. */
function tasksOf({ tasks: { training } }: OpenedKind, random: Random) {
  const { count } = training;
  const order = count === null ? null : random.shuffle([...Array(count).keys()]);
  return (episode: number): { readonly task: Task; readonly number: number } => {
    if (order === null) return { task: training.at(episode), number: episode };
    const number = episode % order.length;
    return { task: training.at(order[number]!), number };
  };
}
