/**
 * A perfect listener and speaker of the drawn world. They record calls and requests, and can be held, given another
 * adapter, or made to fail.
 */
import { EmacError } from '@emac/core';
import { agreement, thingOf, trueDescription, type Listener, type Speaker } from '@emac/lewis';
import { itemsOf } from './messages.ts';

export interface Script {
  /** every call of the model */
  readonly calls: { readonly question: string; readonly pictures: readonly string[] }[];
  identity: string;
  /** thrown instead of the next answers */
  fail: EmacError | null;
  /** holds answers until the returned function is called */
  hold(): () => void;
}

export const description = 'A photo of a red ball. The ball is red and striped with black edge.';
export const question = (said = description) =>
  `Does this description "${said}" accurately describe the main subject in the image? Answer yes or no.`;
/** these agree in four, three and two attributes */
export const candidates = [
  'drawn/ball/red-striped-white/0',
  'drawn/ball/red-striped-black/1',
  'drawn/ball/blue-plain-black/2',
];

function scripted() {
  let held: Promise<void> = Promise.resolve();
  const script: Script = {
    calls: [],
    identity: 'scripted adapter 1',
    fail: null,
    hold() {
      let release = (): void => {};
      held = new Promise((resolve) => (release = resolve));
      return release;
    },
  };
  const call = async (asked: string, pictures: readonly string[]) => {
    script.calls.push({ question: asked, pictures });
    await held;
    if (script.fail) throw script.fail;
  };
  return { script, call };
}

/** A drawn view's score is the share of attributes the question names correctly; other pictures score 0.25. */
export function scriptedListener(): { readonly listener: Listener; readonly script: Script } {
  const { script, call } = scripted();
  const listener: Listener = {
    identity: async () => script.identity,
    ask: async (questions) => {
      const { identity } = script;
      for (const { candidates: names, question: asked } of itemsOf(questions)) {
        await call(asked, names);
        if (asked.includes('too long'))
          throw new EmacError('data', 'prompt of 2000 tokens in /models/secret');
      }
      return { answers: questions.map((each) => scoreOf(each.question, each.picture)), identity };
    },
  };
  return { listener, script };
}

export function scoreOf(asked: string, name: string): number {
  return name.startsWith('drawn/') ? agreement(asked, thingOf(name)) : 0.25;
}

export function scriptedSpeaker(): { readonly speaker: Speaker; readonly script: Script } {
  const { script, call } = scripted();
  const speaker: Speaker = {
    identity: async () => script.identity,
    ask: async (questions) => {
      const pictures = questions.map(({ picture }) => picture);
      await call(questions[0]!.question, pictures);
      return {
        answers: pictures.map((name) => trueDescription(thingOf(name))),
        identity: script.identity,
      };
    },
  };
  return { speaker, script };
}

/** Probabilities by item. */
export async function scoresOf(
  listener: Listener,
  items: readonly { readonly candidates: readonly string[]; readonly question: string }[],
): Promise<readonly (readonly number[])[]> {
  const { answers } = await listener.ask(
    items.flatMap((item) => item.candidates.map((picture) => ({ picture, question: item.question }))),
  );
  let next = 0;
  return items.map((item) => answers.slice(next, (next += item.candidates.length)));
}
