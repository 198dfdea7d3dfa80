/** Sokoban as an environment kind, for methods, policies and commands. */
import { openedWorld, requireMeant, seededTasks, type EnvironmentKind, type LocalWorld } from '@emac/core';
import { wordsSpeech } from '@emac/postprocess';
import { actionsOf, pushesOf, sokoban, type Sokoban } from './sokoban.ts';
import { requireVariant, sokobanIds, variantOf } from './variant.ts';
import { sokobanAnswer, sokobanPrompt } from './words.ts';

export const sokobanKind: EnvironmentKind & { local(id: string): LocalWorld<Sokoban> } = {
  name: 'sokoban',
  about: 'rooms with boxes to push onto targets (gym-sokoban, as in RAGEN and verl-agent)',
  ids: sokobanIds,
  policy: 'mlp',
  idOf: (name) => variantOf(name)?.id ?? null,
  local: worldOf,
  open: async (id, settings) => worldOf(id).open(settings),
};

/** Errors: `usage` for an unknown id. */
function worldOf(name: string): LocalWorld<Sokoban> {
  const variant = requireVariant(name);
  const { id, height, width, maxSteps } = variant;
  const actions = actionsOf(variant);
  const offered = pushesOf(variant);
  const world: LocalWorld<Sokoban> & Required<Pick<LocalWorld<Sokoban>, 'words'>> = {
    id,
    actions,
    offered,
    maxSteps,
    tasks: seededTasks(id),
    // the last box; a box off its target
    rewards: [-1.1, 10.9],
    hasGoal: true,
    make(settings) {
      requireMeant(id, settings, { frameSize: true });
      return sokoban(id, {
        ...(settings.maxSteps !== null && { maxSteps: settings.maxSteps }),
        ...(settings.frameSize !== undefined && { tileSize: settings.frameSize }),
      });
    },
    open: (settings) => openedWorld(world, settings, wordsSpeech(world, settings)),
    expert: (game) => game.solve()?.[0] ?? offered[0]!,
    judge(game) {
      const before = wayFrom(game);
      return () => {
        const after = wayFrom(game);
        if (after === before) return 'neutral';
        return after < before ? 'useful' : 'useless';
      };
    },
    words: {
      asksActionOnly: false,
      asksScores: false,
      isAllInText: true,
      prompt: () => sokobanPrompt(offered.map((action) => actions[action]!)),
      answer: (game, action, { concludes }) => sokobanAnswer(game, action, concludes),
    },
    // 8 pixels: a cell is one window of the first layer
    numbers: {
      inputs: [{ array: 'room', encode: 'one-hot', size: height * width, categories: [7] }],
      frameSize: 8,
    },
  };
  return world;
}

/** Length of the shortest way to win; infinite if there is none. */
function wayFrom(game: Sokoban): number {
  return game.solve()?.length ?? Infinity;
}
