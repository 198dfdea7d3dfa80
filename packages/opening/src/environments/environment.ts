/** Environments as a policy observes them: without pictures if it reads texts alone, with thoughts if it has them. */
import { withoutFrames, type Environment, type Episode, type Step } from '@emac/core';
import { withThoughts } from '@emac/rollout';
import type { PolicyForm } from '../models/policy-form.ts';

/** An environment as the policy observes it; `isReAct`: thoughts are steps of their own. */
export function givenEnvironment(
  environment: Environment,
  text: PolicyForm['text'],
  isReAct = false,
): Environment {
  return {
    tasks: environment.tasks,
    ...(environment.arrivals && { arrivals: environment.arrivals }),
    begin: async (task, seed) => seenEpisode(await environment.begin(task, seed), text, isReAct),
  };
}

/** An episode as the policy observes it. */
export function seenEpisode(
  episode: Episode,
  { observe, thoughts }: PolicyForm['text'],
  isReAct = false,
): Episode {
  const thinking = thoughts && isReAct ? withThoughts(episode) : episode;
  if (observe !== 'text') return thinking;
  const blind = (step: Step): Step => ({ ...step, observation: withoutFrames(step.observation) });
  return {
    task: episode.task,
    first: withoutFrames(episode.first),
    step: async (action) => blind(await thinking.step(action)),
    close: () => episode.close(),
  };
}
