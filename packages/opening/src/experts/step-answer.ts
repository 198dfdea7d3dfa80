/**
 * Asks a language model about a step of an environment, and parses its JSON answer with an offered action. It becomes a
 * label in the scripted players' form, on one line with the action last. The model may also rate each action's
 * usefulness from 0 to 10, as in RL4VLM's fork. The fork asks a second model about one action at a time, after it was
 * taken.
 */
import { jsonObjects } from '@emac/postprocess';
import { z } from 'zod';

export interface StepQuestion {
  /** the policy's prompt */
  readonly prompt: string;
  /** words of the actions that it offers */
  readonly actions: readonly string[];
  readonly thoughts: 'needed' | 'optional' | 'left out';
  /** also how useful each action is */
  readonly utilities: boolean;
}

export interface StepAnswer {
  /** the label */
  readonly text: string;
  /** index of its action among the offered ones */
  readonly place: number;
  /** from 0 (useless) to 10 (very useful) by action; null if not requested */
  readonly utilities: Readonly<Record<string, number>> | null;
}

/** The text after the picture. */
export function stepText({ prompt, actions, utilities }: StepQuestion): string {
  if (!utilities) return prompt;
  const scores = actions.map((action) => `${JSON.stringify(action)}: {number}`).join(', ');
  return (
    `${prompt}\n\nIn that JSON also write, before "action", how useful each action is now, ` +
    `as a number from 0 (useless) to 10 (very useful): "utilities": {${scores}}.`
  );
}

/** Parses an answer, or returns why it cannot; never throws. */
export function readStepAnswer(
  text: string,
  question: StepQuestion,
): { readonly value: StepAnswer } | { readonly problem: string } {
  const schema = answerSchema(question);
  let problem = `"${text.trim().replace(/\s+/g, ' ').slice(0, 80)}" is not a JSON object`;
  for (const found of jsonObjects(text)) {
    const { data, error } = schema.safeParse(found);
    if (data) return { value: answerOf(inOrderOf(found, data), question) };
    const [issue] = error.issues;
    problem = `${issue!.path.join('.') || 'the answer'}: ${issue!.message}`;
  }
  return { problem };
}

/** Texts are compared without blanks around them and in either case, as answers of a policy are. */
const plain = (text: string): string => text.trim().toLowerCase();

const rating = z.number().min(0).max(10);

function answerSchema({ actions, thoughts, utilities }: StepQuestion) {
  const words = actions.map(plain);
  const isOffered = (action: string) => words.includes(action);
  const text = z.string().trim().min(1);
  return z.looseObject({
    action: z
      .union([z.string(), z.number()])
      .transform((action) => plain(String(action)))
      .refine(isOffered, { error: 'is not one of the offered actions' }),
    ...(thoughts === 'needed' && { thoughts: text }),
    ...(thoughts === 'optional' && { thoughts: text.optional() }),
    ...(utilities && {
      utilities: z
        .record(z.string(), rating)
        .transform((scores) => new Map(Object.entries(scores).map(([key, score]) => [plain(key), score])))
        .refine((scores) => scores.size === words.length && words.every((word) => scores.has(word)), {
          error: `must score each of ${actions.join(', ')}`,
        }),
    }),
  });
}

type Read = Readonly<Record<string, unknown>> & { readonly action: string };

/** The parsed values in the model's order. */
function inOrderOf(found: object, read: Read): Read {
  return Object.fromEntries(Object.keys(found).map((key) => [key, read[key]])) as Read;
}

function answerOf(read: Read, { actions, thoughts, utilities: areAsked }: StepQuestion): StepAnswer {
  const { action: said, utilities, ...others } = read;
  const place = actions.map(plain).indexOf(said);
  const action = actions[place]!;
  const before = thoughts === 'left out' ? {} : others;
  const scores = utilities as ReadonlyMap<string, number>;
  return {
    text: written({ ...before, action }),
    place,
    utilities: areAsked ? Object.fromEntries(actions.map((each) => [each, scores.get(plain(each))!])) : null,
  };
}

/** JSON on one line, as the scripted players write it. */
function written(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(written).join(', ')}]`;
  if (!(value instanceof Object)) return JSON.stringify(value);
  const entries = Object.entries(value).map(([key, each]) => `${JSON.stringify(key)}: ${written(each)}`);
  return `{${entries.join(', ')}}`;
}
