import { Random, type Turn } from '@emac/core';
import { builtinGame, handcodedCommand, objectClasses, parseGame, World, type Game } from '@emac/world';
import { beforeAll, describe, expect, it } from 'vitest';
import { competenceIn, playerCommand, skills, type Skill } from './mistakes.ts';

interface Step {
  readonly right: string;
  readonly command: string;
  readonly admissible: readonly string[];
  /** the skill that decided, null for none */
  readonly skill: Skill | null;
}

/** Steps of a player of the given competence. */
function stepsOf(game: Game, competence: (skill: Skill) => number): Step[] {
  const world = new World(game);
  const start = world.reset();
  const random = Random.fromSeed(game.id);
  const steps: Step[] = [];
  const turns: Turn[] = [];
  for (let { admissible, won } = start; !won && steps.length < 40;) {
    const history = { initial: start.observation, turns };
    let skill: Skill | null = null;
    const command = playerCommand(
      history,
      { admissible, visible: world.visible() },
      {
        random,
        competence: (needed) => competence((skill = needed)),
      },
    );
    steps.push({ right: handcodedCommand(history, { admissible })!, command, admissible, skill });
    const state = world.step(command);
    turns.push({ command, observation: state.observation });
    ({ admissible, won } = state);
  }
  return steps;
}

describe('playerCommand', () => {
  let games: Game[];

  beforeAll(() => {
    games = Array.from({ length: 24 }, (_, index) => {
      const { id, file } = builtinGame('train', index);
      return parseGame(file, { id });
    });
  });

  it("is the expert's command at competence 1", () => {
    for (const game of games)
      for (const { command, right } of stepsOf(game, () => 1)) expect(command).toBe(right);
  });

  it.each(Object.keys(skills) as Skill[])(
    'without the skill %s makes other, admissible commands',
    (skill) => {
      const mistakes = games
        .flatMap((game) => stepsOf(game, (needed) => (needed === skill ? 0 : 1)))
        .filter(({ command, right }) => command !== right);
      expect(mistakes.length).toBeGreaterThan(0);
      for (const { command, admissible, skill: decided } of mistakes) {
        expect(decided).toBe(skill);
        expect(admissible).toContain(command);
      }
    },
  );

  it('is wrong as often as the competence says', () => {
    const decided = games.flatMap((game) => stepsOf(game, () => 0.7)).filter(({ skill }) => skill !== null);
    const wrong = decided.filter(({ command, right }) => command !== right).length;
    // four standard deviations
    const most = 4 * Math.sqrt(decided.length * 0.7 * 0.3);
    expect(Math.abs(wrong - 0.3 * decided.length)).toBeLessThan(most);
  });
});

describe('competenceIn', () => {
  it('fills the range of each skill, by class', () => {
    for (const [skill, [least, most]] of Object.entries(skills)) {
      const all = objectClasses.map((name) => competenceIn(skill as Skill, name.toLowerCase()));
      expect(Math.min(...all)).toBeGreaterThanOrEqual(least);
      expect(Math.max(...all)).toBeLessThan(most);
      expect(Math.max(...all) - Math.min(...all)).toBeGreaterThan(0.8 * (most - least));
    }
  });
});
