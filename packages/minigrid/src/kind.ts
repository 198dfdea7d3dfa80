/** The levels of MiniGrid as an environment kind, for methods, policies and commands. */
import {
  openedWorld,
  requireMeant,
  seededTasks,
  type ArrayInput,
  type EnvironmentKind,
  type FoundSettings,
  type LocalWorld,
} from '@emac/core';
import { wordsSpeech } from '@emac/postprocess';
import { miniGridAnswer } from './answers.ts';
import { designOf, miniGridIds, publishedId } from './catalogue.ts';
import type { Palette } from './frame/tile.ts';
import { actionWords, miniGrid, type MiniGrid } from './minigrid.ts';
import { miniGridPrompt, offeredActions } from './prompts.ts';
import { solve } from './solve.ts';

const palettes: readonly Palette[] = ['true', 'legacy-wrapped'];

export const miniGridKind: EnvironmentKind & { local(id: string): LocalWorld<MiniGrid> } = {
  name: 'minigrid',
  about: 'grid levels seen from above: rooms, keys, doors, lava, moving obstacles (MiniGrid 3.2.0)',
  ids: miniGridIds,
  policy: 'rl-tiny',
  palettes,
  idOf: (name) => miniGridIds.find((id) => id === name || id === `${name}-v0`) ?? null,
  local: worldOf,
  open: async (id, settings) => worldOf(id).open(settings),
};

/** Errors: `usage` for an unknown id. */
function worldOf(name: string): LocalWorld<MiniGrid> {
  const id = publishedId(name);
  const { actionCount, maxSteps } = designOf(id);
  const offered = offeredActions(id);
  const world: LocalWorld<MiniGrid> & Required<Pick<LocalWorld<MiniGrid>, 'words'>> = {
    id,
    actions: actionWords.slice(0, actionCount),
    offered,
    maxSteps,
    tasks: seededTasks(id),
    // only a moving obstacle costs something
    rewards: [id.includes('Dynamic-Obstacles') ? -1 : 0, 1],
    make(settings) {
      requireMeant(id, settings, { palettes, frameSize: true });
      return miniGrid(id, {
        ...(settings.maxSteps !== null && { maxSteps: settings.maxSteps }),
        ...(settings.frameSize !== undefined && { tileSize: settings.frameSize }),
        palette: paletteOf(settings),
      });
    },
    open: (settings) => openedWorld(world, settings, wordsSpeech(world, settings)),
    expert: (level) => solve(level)?.[0] ?? offered[0]!,
    judge(level) {
      const before = wayFrom(level);
      return () => {
        const after = wayFrom(level);
        if (after === before) return 'neutral';
        return after < before ? 'useful' : 'useless';
      };
    },
    words: {
      asksActionOnly: false,
      asksScores: true,
      isAllInText: false,
      prompt: ({ text }, form) =>
        miniGridPrompt(
          { id, text: () => text },
          { palette: paletteOf(form), asksFor: form.scores ? 'scores' : 'action' },
        ),
      answer: (level, action, { concludes }) => miniGridAnswer(level, action, { concludes }),
    },
    // 8 pixels: a tile is one window of the first layer
    numbers: { inputs: view, frameSize: 8, ...(found[id] && { found: found[id] }) },
    isMixed: true,
  };
  return world;
}

function paletteOf({ palette }: { readonly palette?: string | null }): Palette {
  return palettes.find((each) => each === palette) ?? 'true';
}

/** Length of the shortest way to win; infinite if there is none. */
function wayFrom(level: Pick<MiniGrid, 'actions' | 'state'>): number {
  return solve(level)?.length ?? Infinity;
}

/** The partial view, with the carried object in the agent's cell, and the agent's direction. */
const view: readonly ArrayInput[] = [
  { array: 'image', encode: 'one-hot', size: 147, categories: [11, 6, 3] },
  { array: 'direction', encode: 'one-hot', size: 1, categories: [4] },
];

/** By trial, for PPO; `model`: steps that rl-tiny learned in. */
const found: Readonly<Record<string, FoundSettings>> = {
  'MiniGrid-Empty-Random-5x5-v0': { network: { play: { environments: 8, environmentSteps: 150_000 } } },
  'MiniGrid-DoorKey-5x5-v0': { network: { play: { environmentSteps: 200_000 } } },
  'MiniGrid-DoorKey-6x6-v0': {
    // after 600,000 steps one seed of three still turned for ever in a thirtieth of the levels
    network: { play: { environmentSteps: 1_000_000 } },
    model: { play: { environmentSteps: 65_536 } },
  },
};
