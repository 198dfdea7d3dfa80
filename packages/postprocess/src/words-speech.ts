/**
 * The text interface between a language model and an environment with a published prompt: a step's prompt, and the action in an answer's JSON,
 * else the one action in its text, else none. If scores are asked for instead, the action is sampled by them.
 */
import {
  EmacError,
  quotedTurn,
  type Answer,
  type KindSettings,
  type LocalWorld,
  type OpenedKind,
  type Random,
  type Said,
  type Speech,
  type SpeechForm,
  type SpeechPolicy,
  type WorldWords,
} from '@emac/core';
import { actionScores, scoreProbabilities } from './action-scores.ts';
import { answeredAction } from './answered-action.ts';

export interface SpokenWorld extends Pick<LocalWorld, 'id' | 'actions' | 'offered'> {
  readonly words: Omit<WorldWords, 'answer'>;
}

/**
 * The prompt covers the current step only, so it is never shortened. Errors, from the speech: `usage` for a text-only policy if the picture shows
 * more than the text, for scores if the prompt cannot ask for them, and for a palette without a published prompt.
 */
export function wordsSpeech(world: SpokenWorld, { palette = null }: KindSettings): OpenedKind['speech'] {
  const { id, words } = world;
  return (policy, form) => {
    if (form.observe === 'text' && !words.isAllInText)
      throw new EmacError(
        'usage',
        `${id}: its picture says more than its text; give a policy that sees pictures (observe image or both)`,
      );
    const scores = form.scores ?? false;
    if (scores && !words.asksScores)
      throw new EmacError('usage', `${id}: no prompt asks for scores of its actions; ask for an action`);
    const actionOnly = !form.thoughts && words.asksActionOnly;
    return speechOf(world, policy, {
      form,
      prompt: ({ text, arrays = {} }) => words.prompt({ text, arrays }, { palette, actionOnly, scores }),
    });
  };
}

interface Asking {
  readonly form: SpeechForm;
  readonly prompt: (seen: Parameters<Speech['target']>[1]) => string;
}

function speechOf(
  { actions, offered, words }: SpokenWorld,
  { tokenTexts = () => [] }: SpeechPolicy,
  { form, prompt }: Asking,
): Speech {
  const named = offered.map((action) => actions[action]!);
  return {
    prompt({ observation }) {
      const asked = prompt(observation);
      const text = form.observe === 'text' ? `${observation.text}\n${asked}` : asked;
      return form.dialogue === 'turns' ? quotedTurn(text) : text;
    },
    target(action, { text, arrays = {} }, thoughts = []) {
      if (!form.thoughts && words.asksActionOnly) return json({ action });
      const fields = words.fields?.({ text, arrays }) ?? {};
      return json({
        ...fields,
        ...(thoughts.length > 0 && { thoughts: thoughts.join(' ') }),
        action: actions.find((word) => word.toLowerCase() === action.trim().toLowerCase()) ?? action,
      });
    },
    read(answer, random) {
      const scored = form.scores ? readScores(answer, { named, random }) : null;
      const action = scored ?? readAction(answer, named);
      return said(action, action === null ? [] : tokenTexts(answer.tokens));
    },
  };
}

/** On one line, like a scripted player's answers. */
function json(entries: Readonly<Record<string, string | readonly number[]>>): string {
  const written = (value: string | readonly number[]) =>
    typeof value === 'string' ? JSON.stringify(value) : `[${value.join(', ')}]`;
  return `{${Object.entries(entries)
    .map(([key, value]) => `"${key}": ${written(value)}`)
    .join(', ')}}`;
}

function said(action: string | null, texts: readonly string[]): Said {
  return { action, actionStart: actionStart(texts) };
}

/** Samples by the scores, or takes the first of the highest; null without scores. MultiRoom's published prompt asks for an action anyway. */
function readScores(
  { text }: Pick<Answer, 'text'>,
  { named, random }: { readonly named: readonly string[]; readonly random: Random | null },
): string | null {
  const scores = actionScores(text, named);
  if (scores === null) return null;
  const place = random ? drawnBy(scoreProbabilities(scores), random) : scores.indexOf(Math.max(...scores));
  return named[place]!;
}

function drawnBy(probabilities: readonly number[], random: Random): number {
  let left = random.uniform();
  const place = probabilities.findIndex((probability) => (left -= probability) < 0);
  return place < 0 ? probabilities.length - 1 : place;
}

function readAction({ text }: Pick<Answer, 'text'>, named: readonly string[]): string | null {
  const { action, source } = answeredAction(text, { actions: named, draw: ([first]) => first! });
  return source === 'random' ? null : action;
}

/** The token where the last `"action":` or `"action_scores":` begins; 0 without one: the whole answer counts as the action. */
export function actionStart(texts: readonly string[]): number {
  const start = texts.join('').search(marker);
  let end = 0;
  return Math.max(
    0,
    texts.findIndex((text) => (end += text.length) > start),
  );
}

/** The last of them. */
const marker = /"action(?:_scores)?"\s*:(?![\s\S]*"action(?:_scores)?"\s*:)/i;
