/** ALFWorld for training and evaluation: with pictures, and with thoughts if the policy has them. */
import { withoutFrames, type Environment, type Episode, type Step } from '@emac/core';
import { withThoughts } from '@emac/rollout';
import { alfworld, renderFrame, type Game, type VisibleState } from '@emac/world';
import type { PolicyForm } from '../models/policy-form.ts';

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
