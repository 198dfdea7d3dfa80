/** FrozenLake as an environment kind, for methods, policies and commands. */
import {
  openedWorld,
  requireMeant,
  seededTasks,
  type ArrayInput,
  type EnvironmentKind,
  type LocalWorld,
} from '@emac/core';
import { wordsSpeech } from '@emac/postprocess';
import { frozenLake, lakeActions, type FrozenLake } from './frozen-lake.ts';
import { frozenLakeIds, requireVariant, variantOf, type Variant } from './variant.ts';
import { lakeAnswer, lakePrompt } from './words.ts';

export const frozenLakeKind: EnvironmentKind & { local(id: string): LocalWorld<FrozenLake> } = {
  name: 'frozen-lake',
  about: 'a slippery lake with holes to cross (Gymnasium 1.4)',
  ids: frozenLakeIds,
  policy: 'mlp',
  idOf: (name) => variantOf(name)?.id ?? null,
  local: worldOf,
  open: async (id, settings) => worldOf(id).open(settings),
};

/** Errors: `usage` for an unknown id. */
function worldOf(name: string): LocalWorld<FrozenLake> {
  const variant = requireVariant(name);
  const { id, maxSteps } = variant;
  const world: LocalWorld<FrozenLake> & Required<Pick<LocalWorld<FrozenLake>, 'words'>> = {
    id,
    actions: lakeActions,
    offered: [...lakeActions.keys()],
    maxSteps,
    tasks: seededTasks(id),
    rewards: [0, 1],
    hasGoal: true,
    make(settings) {
      requireMeant(id, settings, { frameSize: true });
      return frozenLake(id, {
        ...(settings.maxSteps !== null && { maxSteps: settings.maxSteps }),
        ...(settings.frameSize !== undefined && { tileSize: settings.frameSize }),
      });
    },
    open: (settings) => openedWorld(world, settings, wordsSpeech(world, settings)),
    expert: (lake) => lake.best()[0] ?? 0,
    judge(lake, action) {
      const verdict = lake.best().includes(action) ? 'useful' : 'useless';
      return () => verdict;
    },
    words: {
      asksActionOnly: false,
      asksScores: false,
      isAllInText: true,
      prompt: () => lakePrompt(variant),
      answer: (lake, action, { concludes }) => lakeAnswer(lake, action, concludes),
    },
    // 8 pixels: a cell is one window of the first layer
    numbers: { inputs: inputsOf(variant), frameSize: 8 },
  };
  return world;
}

/** A published map is the same in every episode, so the player's cell says everything. */
function inputsOf({ map, size }: Variant): ArrayInput[] {
  const state: ArrayInput = { array: 'state', encode: 'one-hot', size: 1, categories: [size * size] };
  return map ? [state] : [state, { array: 'map', encode: 'one-hot', size: size * size, categories: [3] }];
}
