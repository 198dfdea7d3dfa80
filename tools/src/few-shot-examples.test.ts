import { Random } from '@emac/core';
import { fewShotExamples, initialObservation, type Dialect } from '@emac/prompt';
import { generateGame, parseGame, taskTypes, World, type TaskType } from '@emac/world';
import { describe, expect, it } from 'vitest';

/** The games of examples number 1 and 0, as numbered in prompts, among the seeds `example/<type>/<n>`. */
const games: Readonly<Record<TaskType, readonly number[]>> = {
  pick_and_place_simple: [0, 206],
  look_at_obj_in_light: [2, 373],
  pick_clean_then_place_in_recep: [16, 246],
  pick_heat_then_place_in_recep: [14, 115],
  pick_cool_then_place_in_recep: [12, 354],
  pick_two_obj_and_place: [11, 115],
};

function worldOf(taskType: TaskType, game: number, dialect: Dialect): World {
  const random = Random.fromSeed(`example/${taskType}/${game}`);
  const { id, file } = generateGame({ random, split: 'train', dialect, taskType });
  return new World(parseGame(file, { id }));
}

describe.each(['move', 'put'] as const)('the few-shot examples in the dialect %s', (dialect) => {
  const examples = taskTypes.flatMap((taskType) =>
    games[taskType].map((game, place) => ({
      taskType,
      game,
      text: fewShotExamples(taskType, { dialect })[place]!,
    })),
  );
  it.each(examples)('are played in the world, word for word, and win: $taskType $game', (example) => {
    const { taskType, game, text } = example;
    const world = worldOf(taskType, game, dialect);
    let state = world.reset();
    let played = `${initialObservation(state.observation)}\n`;
    let thoughts = 0;
    for (const [, command] of text.matchAll(/^> (.+)$/gm)) {
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
