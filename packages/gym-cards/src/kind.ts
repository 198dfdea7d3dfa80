/** The card games as an environment kind, for methods, policies and commands. */
import {
  EmacError,
  openedWorld,
  requireMeant,
  seededTasks,
  type EnvironmentKind,
  type LocalWorld,
} from '@emac/core';
import { wordsSpeech } from '@emac/postprocess';
import type { CardGame } from './environment.ts';
import { gymCardsIds, limit, makeGymCards } from './make.ts';
import { numbersOf } from './network-facts.ts';
import { fieldsOfSeen, promptOfSeen } from './seen-prompt.ts';

export const gymCardsKind: EnvironmentKind & { local(id: string): LocalWorld<CardGame> } = {
  name: 'gym-cards',
  about: 'card games shown as pictures: a number line, sums and products of cards, blackjack',
  ids: gymCardsIds,
  policy: 'rl-tiny',
  idOf,
  local: worldOf,
  open: async (id, settings) => worldOf(id).open(settings),
};

/** Version and folder are optional: `NumberLine`. */
function idOf(name: string): string | null {
  const forms = [name, `${name}-v0`, `gym_cards/${name}`, `gym_cards/${name}-v0`];
  return gymCardsIds.find((id) => forms.includes(id)) ?? null;
}

/** A formula of cards is worth 10; everything else at most 1. */
function rewardsOf(id: string): readonly [number, number] {
  return [-1, /Points/.test(id) ? 10 : 1];
}

/** Errors: `usage` for an unknown id. */
function worldOf(name: string): LocalWorld<CardGame> {
  const id = idOf(name);
  if (id === null)
    throw new EmacError('usage', `gym-cards: has ${gymCardsIds.join(', ')}, got ${name}; give one of them`);
  const { actions } = makeGymCards(id);
  const world: LocalWorld<CardGame> & Required<Pick<LocalWorld<CardGame>, 'words'>> = {
    id,
    actions,
    offered: [...actions.keys()],
    maxSteps: limit,
    tasks: seededTasks(id),
    rewards: rewardsOf(id),
    make(settings) {
      requireMeant(id, settings);
      return makeGymCards(id, settings.maxSteps === null ? {} : { maxSteps: settings.maxSteps });
    },
    open: (settings) => openedWorld(world, settings, wordsSpeech(world, settings)),
    expert: (game) => game.expert(),
    judge(game, action) {
      const verdict = action === game.expert() ? 'useful' : 'useless';
      return () => verdict;
    },
    words: {
      asksActionOnly: true,
      asksScores: false,
      isAllInText: true,
      prompt: ({ arrays }, { actionOnly = false }) => promptOfSeen(id, arrays, { actionOnly }),
      fields: ({ arrays }) => fieldsOfSeen(id, arrays),
      answer: (game, action, form) => game.answer(action, form),
    },
    numbers: numbersOf(id),
  };
  return world;
}
