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
import { openTinyModel, type TinyPrompt } from '../tiny-model/open-model.ts';

export interface PlayerOptions {
  /** what a picture of this name shows; default: `drawView` */
  readonly show?: (view: string) => Frame;
}

/** What a listener with reasons said before its answer, and what it makes of the candidates. */
export interface Reasoned {
  readonly said: readonly string[];
  readonly predicted: number;
  readonly yesProbabilities: readonly number[];
}

export type LewisPlayer = ReturnType<typeof openLewisPlayer>;

/** Plays with a model folder; `dispose` ends it. */
export function openLewisPlayer(folder: string, { show = drawView }: PlayerOptions = {}) {
  const model = openTinyModel(folder);
  const { tokenizer } = model;
  const [yes, no] = ['yes', 'no'].map((word) => tokenizer.encode(word)[0]!) as [number, number];
  const opening = tokenizer.encode('```json\n{"Reasoning": "');
  const answerKey = tokenizer.encode('", "Answer": "');
  const looking = tokenizer.encode('I see a').slice(0, 1);

  const probabilities = async (prompts: readonly TinyPrompt[]): Promise<number[]> => {
    const [ofYes, ofNo] = [
      await model.logProbabilities(prompts, yes),
      await model.logProbabilities(prompts, no),
    ];
    return ofYes.map((value, place) => yesProbability(value, ofNo[place]!));
  };
  const candidatePrompts = async (
    games: readonly LewisGame[],
    texts: readonly string[],
  ): Promise<TinyPrompt[]> => {
    const prompts: TinyPrompt[] = [];
    for (const [place, { candidates }] of games.entries())
      for (const view of candidates) prompts.push(await model.prompt(show(view), texts[place]!));
    return prompts;
  };
  /** values of all candidates, by game */
  const byGame = <T>(games: readonly LewisGame[], values: readonly T[]): T[][] => {
    const rest = [...values];
    return games.map(({ candidates }) => rest.splice(0, candidates.length));
  };

  return {
    /** What is said of each game's picture: the likeliest, or drawn at temperature 1. */
    async descriptions(games: readonly LewisGame[], random: Random | null = null): Promise<string[]> {
      const prompts: TinyPrompt[] = [];
      for (const { image, category } of games)
        prompts.push(await model.prompt(show(image), speakerPrompt(category)));
      const said = await (random ? model.drawn(prompts, random) : model.answers(prompts));
      return said.map((tokens) => tokenizer.decode(tokens));
    },
    /** Of each candidate the probability of "yes", asked for a word. */
    async judged(games: readonly LewisGame[], written: readonly string[]): Promise<number[][]> {
      const questions = games.map(({ category }, place) =>
        listenerQuestion(readDescription(written[place]!, category).text),
      );
      return byGame(games, await probabilities(await candidatePrompts(games, questions)));
    },
    /** The same asked for reasons first, which are its likeliest, or with `looks` always say what it sees. */
    async reasoned(
      games: readonly LewisGame[],
      written: readonly string[],
      { looks }: { readonly looks: boolean },
    ): Promise<Reasoned[]> {
      const asked = games.map(({ category }, place) =>
        listenerPrompt(readDescription(written[place]!, category).text),
      );
      const begun = (await candidatePrompts(games, asked)).map((prompt) =>
        longer(prompt, looks ? [...opening, ...looking] : opening),
      );
      const reasons = (await model.answers(begun)).map((tokens) => {
        const stop = tokens.indexOf(answerKey[0]!);
        return stop < 0 ? tokens : tokens.slice(0, stop);
      });
      const prompts = begun.map((prompt, place) => longer(prompt, [...reasons[place]!, ...answerKey]));
      const values = byGame(games, await probabilities(prompts));
      const said = byGame(
        games,
        reasons.map((tokens) => tokenizer.decode(looks ? [...looking, ...tokens] : tokens)),
      );
      return values.map((yesProbabilities, place) => ({
        said: said[place]!,
        predicted: scoreCandidates(yesProbabilities).predicted,
        yesProbabilities,
      }));
    },
    /** Whole answers of the listener with reasons about each candidate, drawn at temperature 1. */
    async drawnReasons(
      games: readonly LewisGame[],
      written: readonly string[],
      random: Random,
    ): Promise<string[][]> {
      const asked = games.map(({ category }, place) =>
        listenerPrompt(readDescription(written[place]!, category).text),
      );
      const said = await model.drawn(await candidatePrompts(games, asked), random);
      return byGame(
        games,
        said.map((tokens) => tokenizer.decode(tokens)),
      );
    },
    dispose: () => model.dispose(),
  };
}

function longer({ visual, tokens }: TinyPrompt, more: readonly number[]): TinyPrompt {
  return { visual, tokens: [...tokens, ...more] };
}
