/**
 * A vision-language model's texts for an environment stepped by number: the prompt (picture, then the kind's words) and
 * the action in its answer.
 */
import {
  EmacError,
  promptOf,
  type Dialogue,
  type Policy,
  type Speech,
  type StepEnvironment,
} from '@emac/core';
import { seenBy, type StepTexts } from '@emac/rollout';
import { environmentsWith, localWorld } from '../environments/kind-of.ts';
import { ownPalette } from './ppo-environments.ts';

export interface LanguageReading {
  readonly environment: Pick<StepEnvironment, 'id' | 'actions'>;
  readonly palette: string;
  /** asks for the action alone, without thoughts, if possible */
  readonly actionOnly: boolean;
  /** asks for a score of each action in place of an action */
  readonly actionScores: boolean;
  readonly dialogue?: Dialogue | undefined;
  /** null for a model that reads text alone: it gets the environment's text before the prompt */
  readonly encode: Policy['encode'];
  /** the text of each token of an answer */
  readonly tokenTexts: (tokens: readonly number[]) => readonly string[];
}

/**
 * Texts for one environment. Errors: `usage` for an environment without a published prompt, or without one for its
 * palette, for scores if unsupported, and for a model without an eye if the picture shows more than the text.
 */
export function languageTexts({ environment, encode, ...asked }: LanguageReading): StepTexts {
  const { id, actions } = environment;
  const speech = speechOf(id, { ...asked, observe: encode ? 'both' : 'text' });
  const { offered } = localWorld(id);
  const numberOf = new Map(offered.map((action) => [actions[action]!, action]));
  return {
    frames: true,
    offered,
    prompt: async ({ frame, text, arrays }) => {
      const observation = { text, arrays, frames: [], admissible: null };
      const history = { initial: '', turns: [] };
      return promptOf(
        await seenBy({ encode }, [frame!]),
        speech.prompt({ history, observation, memories: [] }),
      );
    },
    read(answer, random) {
      const { action, ...said } = speech.read(answer, random);
      return { ...said, action: action === null ? null : numberOf.get(action)! };
    },
  };
}

type Asked = Omit<LanguageReading, 'environment' | 'encode'> & { readonly observe: 'both' | 'text' };

function speechOf(
  id: string,
  { palette, actionOnly, actionScores, tokenTexts, observe, dialogue }: Asked,
): Speech {
  const { words, open } = localWorld(id);
  if (!words)
    throw new EmacError('usage', `${id}: has no prompt for a language model; give a small network as policy`);
  if (actionScores && !words.asksScores) {
    const where = environmentsWith((_, world) => world.words?.asksScores ?? false);
    throw new EmacError('usage', `--action-score-prompt: is for ${where}, got ${id}; leave it out`);
  }
  // a prompt is about its step alone, and as long as it is
  return open({ maxSteps: null, palette: ownPalette(palette) }).speech(
    { countPromptTokens: (text) => text.length, tokenTexts },
    { maxTokens: Infinity, observe, thoughts: !actionOnly, scores: actionScores, dialogue },
  );
}
