import { Random, taskTypes, type TaskType } from '@emac/core';
import { fewShotExamples, initialObservation, type Dialect } from '@emac/prompt';
import { generateGame, parseGame, World } from '@emac/world';
import { describe, expect, it } from 'vitest';

/** Which game of the seeds `example/<type>/<n>` each example was played in. */
const games: Readonly<Record<TaskType, number>> = {
  pick_and_place_simple: 206,
  look_at_obj_in_light: 373,
  pick_clean_then_place_in_recep: 246,
  pick_heat_then_place_in_recep: 115,
  pick_cool_then_place_in_recep: 354,
  pick_two_obj_and_place: 115,
};

function worldOf(taskType: TaskType, dialect: Dialect): World {
  const random = Random.fromSeed(`example/${taskType}/${games[taskType]}`);
  const { id, file } = generateGame({ random, split: 'train', dialect, taskType });
  return new World(parseGame(file, { id }));
}

describe.each(['move', 'put'] as const)('the few-shot examples in the dialect %s', (dialect) => {
  it.each(taskTypes)('are played in the world, word for word, and win: %s', (taskType) => {
    const [text] = fewShotExamples(taskType, { dialect });
    const world = worldOf(taskType, dialect);
    let state = world.reset();
    let played = `${initialObservation(state.observation)}\n`;
    let thoughts = 0;
    for (const [, command] of text!.matchAll(/^> (.+)$/gm)) {
      expect(state.won).toBe(false);
      const isThought = command!.startsWith('think: ');
      if (isThought) thoughts++;
      else state = world.step(command!);
      played += `> ${command}\n${isThought ? 'OK.' : state.observation}\n`;
    }
    expect(played).toBe(text);
    expect(state.won).toBe(true);
    expect(thoughts).toBeGreaterThan(1);
  });
});
