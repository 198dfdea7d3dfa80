/** lewis-tiny as speaker and as listener, without training. */
import type { Frame, Random } from '@emac/core';
import {
  drawView,
  listenerPrompt,
  listenerQuestion,
  readDescription,
  scoreCandidates,
  speakerPrompt,
  yesProbability,
  type LewisGame,
} from '@emac/lewis';
import { openTinyModel, type TinyModel, type TinyPrompt } from '../tiny-model/open-model.ts';

/** The picture of a view. */
export type Show = (view: string) => Frame;

/** A listener's reasons about each candidate before its answer, and its scores. */
export interface Reasoned {
  readonly said: readonly string[];
  readonly yesProbabilities: readonly number[];
  readonly predicted: number;
}

/** Plays with a model folder; `dispose` ends it. */
export function openLewisPlayer(folder: string, show: Show = drawView) {
  const model = openTinyModel(folder);
  const { descriptions } = speaker(model, show);
  const { judged, reasoned, drawnReasons } = listener(model, show);
  return { descriptions, judged, reasoned, drawnReasons, dispose: () => model.dispose() };
}

function speaker(model: TinyModel, show: Show) {
  return {
    /** Each game's description: greedy, or sampled at temperature 1. */
    async descriptions(games: readonly LewisGame[], random: Random | null = null): Promise<string[]> {
      const prompts: TinyPrompt[] = [];
      for (const { image, category } of games)
        prompts.push(await model.prompt(show(image), speakerPrompt(category)));
      const said = await (random ? model.drawn(prompts, random) : model.answers(prompts));
      return said.map((tokens) => model.tokenizer.decode(tokens));
    },
  };
}

/** Games with their descriptions. */
interface Heard {
  readonly games: readonly LewisGame[];
  readonly written: readonly string[];
}

function listener(model: TinyModel, show: Show) {
  const { tokenizer } = model;
  const [yes, no] = ['yes', 'no'].map((word) => tokenizer.encode(word)[0]!) as [number, number];
  const opening = tokenizer.encode('```json\n{"Reasoning": "');
  const answerKey = tokenizer.encode('", "Answer": "');
  const looking = tokenizer.encode('I see a').slice(0, 1);

  const probabilities = async (prompts: readonly TinyPrompt[]): Promise<number[]> => {
    const ofYes = await model.logProbabilities(prompts, yes);
    const ofNo = await model.logProbabilities(prompts, no);
    return ofYes.map((value, place) => yesProbability(value, ofNo[place]!));
  };
  /** about every candidate of every game */
  const asked = async ({ games, written }: Heard, question: typeof listenerQuestion) => {
    const prompts: TinyPrompt[] = [];
    for (const [place, { category, candidates }] of games.entries()) {
      const text = question(readDescription(written[place]!, category).text);
      for (const view of candidates) prompts.push(await model.prompt(show(view), text));
    }
    return prompts;
  };
  const decoded = (tokens: readonly number[]) => tokenizer.decode([...tokens]);

  return {
    /** Each candidate's probability of "yes" in a one-word answer. */
    judged: async (heard: Heard): Promise<number[][]> =>
      byGame(heard, await probabilities(await asked(heard, listenerQuestion))),

    /** The same after greedy reasons; with `looks` these begin with the visible attributes. */
    async reasoned(heard: Heard, { looks }: { readonly looks: boolean }): Promise<Reasoned[]> {
      const begun = looks ? looking : [];
      const prompts = (await asked(heard, listenerPrompt)).map((prompt) =>
        longer(prompt, [...opening, ...begun]),
      );
      const reasons = (await model.answers(prompts)).map((tokens) => upTo(tokens, answerKey[0]!));
      const answered = prompts.map((prompt, place) => longer(prompt, [...reasons[place]!, ...answerKey]));
      const scores = byGame(heard, await probabilities(answered));
      const said = byGame(
        heard,
        reasons.map((tokens) => decoded([...begun, ...tokens])),
      );
      return scores.map((yesProbabilities, place) => ({
        said: said[place]!,
        yesProbabilities,
        predicted: scoreCandidates(yesProbabilities).predicted,
      }));
    },

    /** Whole answers with reasons about each candidate, sampled at temperature 1. */
    drawnReasons: async (heard: Heard, random: Random): Promise<string[][]> =>
      byGame(heard, (await model.drawn(await asked(heard, listenerPrompt), random)).map(decoded)),
  };
}

/** Groups the values of all candidates by game. */
function byGame<T>({ games }: Heard, values: readonly T[]): T[][] {
  const rest = [...values];
  return games.map(({ candidates }) => rest.splice(0, candidates.length));
}

function upTo(tokens: readonly number[], stop: number): readonly number[] {
  const place = tokens.indexOf(stop);
  return place < 0 ? tokens : tokens.slice(0, place);
}

function longer({ visual, tokens }: TinyPrompt, more: readonly number[]): TinyPrompt {
  return { visual, tokens: [...tokens, ...more] };
}
