/**
 * Whether a model's conversations add up: the prompt of a step begins with the prompt of the step before, its answer and the end token. Then an
 * episode is one growing sequence of tokens, and steps share their beginnings. Templates that rewrite earlier turns (Qwen3's) do not add up.
 */
import type { Conversation, Turn } from './prompt-form.ts';

/** an episode of three steps; its texts end in several ways, since tokenizers join letters, not marks */
const episode = [
  'You are in a room.\nYour task is to: find some pen.',
  'go to desk 1',
  'You see a pen 1',
  'take pen 1 from desk 1',
  'Nothing happens.\n',
] as const;

/** Tries an episode of three steps, with so many pictures in the last turn of each prompt. */
export function addsUp(
  { turn, answer }: Conversation,
  { endToken, pictures }: { readonly endToken: number; readonly pictures: number },
): boolean {
  return [1, 3].every((length) => {
    const [said, command, observation] = [episode.slice(0, length), episode[length]!, episode[length + 1]!];
    const before = [...placesOf(turn(said, pictures)), ...answer(said, command), endToken];
    const after = placesOf(turn([...said, command, observation], pictures));
    return before.every((id, place) => id === after[place]);
  });
}

/** The ids of a turn, with −1 for a picture. */
function placesOf({ tokens, before }: Turn): number[] {
  const at = (place: number) => before.filter((each) => each === place).map(() => -1);
  return [...tokens.flatMap((id, place) => [...at(place), id]), ...at(tokens.length)];
}
