/** ALFWorld for training and evaluation: with pictures, and with thoughts if the policy has them. */
import { invariant, withoutFrames, type Environment, type Episode, type Step } from '@emac/core';
import { withThoughts } from '@emac/rollout';
import { alfworld, renderFrame, type Game, type VisibleState } from '@emac/world';
import type { PolicyForm } from '../models/policy-form.ts';
import type { ListedGame } from './games.ts';

/** An environment as the policy observes it. */
export function givenEnvironment(environment: Environment, text: PolicyForm['text']): Environment {
  return {
    tasks: environment.tasks,
    ...(environment.arrivals && { arrivals: environment.arrivals }),
    begin: async (task, seed) => seenEpisode(await environment.begin(task, seed), text),
  };
}

/** An episode as the policy observes it: without pictures if it reads texts only. */
export function seenEpisode(episode: Episode, { observe }: PolicyForm['text']): Episode {
  if (observe !== 'text') return episode;
  const blind = (step: Step): Step => ({ ...step, observation: withoutFrames(step.observation) });
  return {
    task: episode.task,
    first: withoutFrames(episode.first),
    step: async (action) => blind(await episode.step(action)),
    close: () => episode.close(),
  };
}

/** The games as tasks. */
export function gamesEnvironment(
  games: readonly Game[],
  { text, maxSteps }: Pick<PolicyForm, 'text' | 'maxSteps'>,
): Environment {
  const frames = { frames: (visible: VisibleState) => renderFrame(visible) };
  const environment = alfworld(games, { maxSteps, ...(text.observe !== 'text' && frames) });
  return text.thoughts ? withThoughts(environment) : environment;
}

/** Games of a list with pictures and no step limit, each compiled when begun; for a run that plays them remotely. */
export function listedEnvironment(games: readonly ListedGame[]): Environment {
  const byId = new Map(games.map((game) => [game.id(), game]));
  const frames = (visible: VisibleState) => renderFrame(visible);
  return {
    tasks: [...byId].map(([id, { type }]) => ({ id, type: type === 'unknown' ? null : type })),
    async begin(task, seed) {
      const game = byId.get(task.id);
      invariant(game, `listed games: ${task.id} is not one of them`);
      return alfworld([game.load()], { frames }).begin(task, seed);
    },
  };
}
