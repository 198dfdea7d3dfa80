/** `--agent AGENT`: the words that it stands for. */
import { agentName } from '@emac/settings';
import { typedValue } from '../calling/typed-value.ts';

/** Replaces `--agent AGENT` by the environment that it is; in `emac play` it is a player. Other words stay. */
export function withoutAgent(words: readonly string[]): readonly string[] {
  const agent = typedValue(words, 'agent') ?? '';
  if (words[0] === 'play' || agent === '') return words;
  const place = words.findIndex((word) => /^--agent(=|$)/.test(word));
  return words.toSpliced(place, words[place] === '--agent' ? 2 : 1, '--env', agentName(agent));
}
