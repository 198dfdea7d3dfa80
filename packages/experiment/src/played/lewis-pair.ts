/**
 * The Lewis game as a game of two steps: the speaker describes a picture, then the listener chooses among others. A person or a model takes
 * either side. With `isHeard` the speaker has spoken already, and its picture is shown at the end alone.
 */
import {
  wholeAnswers,
  type Episode,
  type Frame,
  type Observation,
  type OpenedKind,
  type Seed,
  type Step,
  type Task,
} from '@emac/core';
import {
  candidateName,
  listenerQuestion,
  readDescription,
  scoreCandidates,
  speakerPrompt,
  type LewisGame,
  type Listener,
  type Speaker,
} from '@emac/lewis';
import type { LewisGames } from '@emac/opening';
import type { PlayedMoment } from '../player.ts';
import { apart, sideBySide } from './picture-row.ts';
import type { ShownFrames } from './shown-frames.ts';
import type { Weighed } from './weighed.ts';

export interface LewisPair {
  readonly games: LewisGames;
  /** both ask for pictures by the names of `shown` */
  readonly speaker: Speaker;
  readonly listener: Listener;
  readonly shown: ShownFrames;
  readonly isHeard: boolean;
}

/** The game as an environment; its parts are the caller's to dispose of. */
export function lewisPair(pair: LewisPair): OpenedKind {
  const { training, heldOut } = pair.games;
  const source = (some: readonly LewisGame[], set: string) => ({
    count: some.length,
    at: (number: Seed): Task => {
      return { id: `lewis/${set}/${Number(number)}`, type: some[Number(number)]!.category };
    },
  });
  return {
    id: 'lewis',
    maxSteps: pair.isHeard ? 1 : 2,
    tasks: { training: source(training, 'training'), heldOut: source(heldOut, 'heldOut') },
    hasGoal: true,
    begin: (task) => begun(pair, task),
    speech: () => wholeAnswers,
  };
}

function gameOf({ games }: Pick<LewisPair, 'games'>, { id }: Task): LewisGame {
  const [, set, number] = id.split('/');
  return games[set === 'training' ? 'training' : 'heldOut'][Number(number)]!;
}

async function begun(pair: LewisPair, task: Task): Promise<Episode> {
  const game = gameOf(pair, task);
  const { pictures } = pair.games.world;
  const thing = `${game.concept} (${game.category})`;
  const names = game.candidates.map((_, place) => candidateName(place));
  const picture = await pictures(game.image);
  const offered = async (message: string): Promise<Observation> => ({
    text: `${spoken}${message}\nWhich picture does it describe? From left to right: ${names.join(', ')}.`,
    frames: [sideBySide(await Promise.all(game.candidates.map(pictures)))],
    admissible: names,
  });
  const asked: Observation = {
    // a page takes the last line as its title
    text: `Describe the picture, so that the listener finds another picture of the same thing.\n${thing}`,
    frames: [picture],
    admissible: null,
  };
  let now = pair.isHeard
    ? await offered((await described(pair.speaker, { picture: game.image, game })).message)
    : asked;
  const first = now;
  return {
    task,
    first,
    async step(action): Promise<Step> {
      if (now.admissible === null) {
        now = await offered(messageIn(action, game));
        return { observation: now, reward: 0, terminated: false, truncated: false, info: { won: false } };
      }
      const right = names[game.label]!;
      const won = action.trim() === right;
      const text = `The listener chose ${action.trim()}; ${right} is right. The speaker saw this: ${thing}.`;
      const observation = { text, frames: [picture], admissible: [] };
      return { observation, reward: Number(won), terminated: true, truncated: false, info: { won } };
    },
    close: async () => {},
  };
}

const spoken = 'The speaker said: ';

/** What the listener reads of an answer, in one line. */
function messageIn(answer: string, { category }: LewisGame): string {
  return (readDescription(answer, category).text || answer).replace(/\s+/g, ' ').trim();
}

interface Described {
  readonly picture: string;
  readonly game: LewisGame;
  readonly prompt?: string;
}

async function described(
  speaker: Speaker,
  { picture, game, prompt = speakerPrompt(game.category) }: Described,
) {
  const { answers } = await speaker.ask([{ picture, question: prompt }]);
  return { prompt, answer: answers[0]!, message: messageIn(answers[0]!, game) };
}

/** Speaker and listener as one policy: it describes, or weighs the candidates by their probabilities of "yes". */
export function lewisWeighing(pair: LewisPair): (moment: PlayedMoment, prompt?: string) => Promise<Weighed> {
  const { shown, speaker, listener, games } = pair;
  return async ({ task, observation: { admissible, frames, text } }, asked) => {
    const game = gameOf(pair, task);
    if (admissible === null) {
      const picture = await shown.named(game.image, frames[0]!);
      const { message, answer, prompt } = await described(speaker, {
        picture,
        game,
        ...(asked !== undefined && { prompt: asked }),
      });
      return { action: message, logProbabilities: null, prompt, answer };
    }
    const prompt = asked ?? listenerQuestion(text.slice(spoken.length, text.indexOf('\n')));
    const views = await Promise.all(game.candidates.map(games.world.pictures));
    const parts: readonly Frame[] = apart(frames[0]!, views);
    const named = await Promise.all(parts.map((part, place) => shown.named(game.candidates[place]!, part)));
    const { answers } = await listener.ask(named.map((picture) => ({ picture, question: prompt })));
    return {
      action: candidateName(scoreCandidates(answers).predicted),
      logProbabilities: answers.map((yes) => Math.log(yes)),
      prompt,
      answer: answers.map((yes, place) => `${candidateName(place)}: yes with ${yes.toFixed(3)}`).join('; '),
    };
  };
}
