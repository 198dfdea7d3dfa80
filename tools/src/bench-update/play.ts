/**
 * Preference pairs from real play: emma-tiny acts greedily in built-in games and the hand-coded expert labels every
 * state. If both agree, another admissible command is the rejected one.
 */
import { promptOf, type Frame, type History, type Policy, type Random, type Turn } from '@emac/core';
import { studentTarget, studentText } from '@emac/prompt';
import { builtinGame, handcodedCommand, parseGame, renderFrame, World } from '@emac/world';

export interface Pair {
  readonly text: string;
  readonly chosen: string;
  readonly rejected: string;
  readonly frame: Frame;
}

export interface PlayOptions {
  /** indices in the held-out suite of games */
  readonly games: readonly number[];
  /** default 30 */
  readonly maxSteps?: number;
  readonly random: Random;
}

/** The pairs of all steps, in order. */
export async function playedPairs(
  student: Policy,
  { games, maxSteps = 30, random }: PlayOptions,
): Promise<Pair[]> {
  const pairs: Pair[] = [];
  for (const index of games) pairs.push(...(await playedGame(student, index, { maxSteps, random })));
  return pairs;
}

async function playedGame(
  student: Policy,
  index: number,
  { maxSteps, random }: Required<Omit<PlayOptions, 'games'>>,
): Promise<Pair[]> {
  const { id, file } = builtinGame('valid_unseen', index);
  const world = new World(parseGame(file, { id }));
  const turns: Turn[] = [];
  let state = world.reset();
  const history: History = { initial: state.observation, turns };
  const pairs: Pair[] = [];
  for (let step = 0; step < maxSteps && !state.won; step++) {
    const frame = renderFrame(world.visible(), { width: 224, height: 224 });
    const { text } = studentText(history, {
      maxTokens: 1024,
      countTokens: (t) => student.countPromptTokens(t),
    });
    const prompt = promptOf([await student.encode!(frame)], text);
    const question = { prompt, allowed: null, random: null };
    const [answer] = await student.decide([question], { kind: 'search', beams: 1 });
    const own = answer!.text.trim();
    const label = handcodedCommand(history);
    if (label !== null) {
      const others = state.admissible.filter((command) => command !== label);
      const rejected = own === label || own === '' ? others[random.integer(others.length)]! : own;
      pairs.push({ text, chosen: studentTarget(label), rejected: studentTarget(rejected), frame });
    }
    state = world.step(own);
    turns.push({ command: own, observation: state.observation });
  }
  return pairs;
}
