/** An episode of random admissible commands in a built-in game, for benchmarks. */
import { Random, type History, type Observation, type Turn } from '@emac/core';
import { builtinGame, parseGame } from '@emac/world';
import type { Agent } from '../agent.ts';

export interface State {
  readonly observation: Observation;
  readonly history: History;
  /** the command that follows */
  readonly command: string;
}

/** The first states. */
export async function randomStates(agent: Agent, count: number): Promise<State[]> {
  const { id, file } = builtinGame('valid_unseen', 0);
  const environment = agent.environment([parseGame(file, { id })]);
  const random = Random.fromSeed('commands');
  const episode = await environment.begin(environment.tasks[0]!, 'any');
  let observation = episode.first;
  const initial = observation.text;
  const turns: Turn[] = [];
  const states: State[] = [];
  while (states.length < count) {
    const command = random.pick(observation.admissible!);
    states.push({ observation, history: { initial, turns: [...turns] }, command });
    ({ observation } = await episode.step(command));
    turns.push({ command, observation: observation.text });
  }
  await episode.close();
  return states;
}
