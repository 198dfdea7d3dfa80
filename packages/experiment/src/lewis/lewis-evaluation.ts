/**
 * Scores how well a speaker and a listener understand each other in held-out games, in the published layout:
 * identification (which of K) and recognition (same or not).
 */
import {
  candidateName,
  drawPairs,
  formatReward,
  identificationResult,
  lengthReward,
  listenerQuestion,
  readDescription,
  recognitionResult,
  scoreCandidates,
  speakerPrompt,
  type Catalogue,
  type Counted,
  type LewisGame,
  type Listener,
  type RecognitionMetrics,
  type Speaker,
  type TaskResult,
} from '@emac/lewis';
import type { Random } from '@emac/core';
import { stopIfAsked, type Host } from '@emac/opening';
import { evaluationResult, type EvaluatedGame, type EvaluationResult } from '@emac/rollout';

/** A played game, with the published results' names. */
export interface IdentifiedGame {
  readonly query_path: string;
  readonly ret_paths: readonly string[];
  readonly category: string;
  readonly label: number;
  readonly predicted: number;
  readonly solution: string;
  /** the original answer */
  readonly content: string;
  /** as the listener reads it */
  readonly description: string;
  readonly yes_probabilities: readonly number[];
  readonly format: number;
  readonly length: number;
}

export interface RecognizedPair {
  readonly query_path: string;
  readonly reference_path: string;
  readonly category: string;
  readonly isSame: boolean;
  readonly saidSame: boolean;
  readonly yes_probability: number;
  readonly description: string;
}

export interface IdentificationMetrics extends Counted {
  /** mean of the reward of the form: 1 for three closed tags */
  readonly format: number | null;
  /** mean of the reward of one sentence, at most 0.1 */
  readonly length: number | null;
}

/** `eval.json` of a Lewis run, as for other runs: a game is won if the listener chooses correctly. */
export interface LewisEvaluation extends EvaluationResult {
  readonly identification: TaskResult<IdentifiedGame, IdentificationMetrics>;
  /** absent if not requested */
  readonly recognition?: TaskResult<RecognizedPair, RecognitionMetrics>;
}

export interface Understanding {
  readonly speaker: Speaker;
  readonly listener: Listener;
  readonly games: readonly LewisGame[];
  /** concepts and generator for as many pairs as games; null: no recognition */
  readonly recognition: { readonly concepts: Catalogue; readonly random: Random } | null;
  /** checkpoint name */
  readonly checkpoint: string;
  /** stored in the results */
  readonly config: Readonly<Record<string, unknown>>;
  /** `next`: the listener reads the next game's description, and should do no better than chance */
  readonly describes?: 'own' | 'next';
  readonly host: Pick<Host, 'listener' | 'signal'>;
}

const greedy = { kind: 'search', beams: 1 } as const;

/** Games per batch. */
const atOnce = 16;

/** Plays every game once. Errors: those of speaker and listener; `interrupted`. */
export async function evaluateUnderstanding(asked: Understanding): Promise<LewisEvaluation> {
  const { games, checkpoint, config, describes = 'own' } = asked;
  const written = await inParts(asked, games, (some) =>
    describe(
      asked.speaker,
      some.map(({ image, category }) => [image, category]),
    ),
  );
  const places = games.map((game, place) => ({ game, place }));
  const played = await inParts(asked, places, async (some) => {
    const found = await identified(
      asked.listener,
      some.map(({ game, place }) => {
        const described = describes === 'own' ? place : (place + 1) % games.length;
        return { game, content: written[described]!, category: games[described]!.category };
      }),
    );
    for (const _ of found) asked.host.listener?.advance?.();
    return found;
  });
  const counted = identificationResult(config, played);
  const results = played.map((each, number): EvaluatedGame => ({
    id: `lewis/${each.query_path}#${number}`,
    type: each.category,
    won: each.predicted === each.label,
    steps: 1,
    seen_in_training: false,
    return: Number(each.predicted === each.label),
  }));
  const metrics = {
    ...counted.metrics,
    format: mean(played.map(({ format }) => format)),
    length: mean(played.map(({ length }) => length)),
  };
  const { speaker, listener } = config;
  const policy = `${String(speaker)} to ${String(listener)}`;
  return {
    ...evaluationResult(results, { checkpoint, env: 'lewis', policy, sampling: greedy, seed: 0 }),
    identification: { ...counted, metrics },
    ...(asked.recognition && { recognition: await recognized(asked, asked.recognition) }),
  };
}

/** Descriptions of pictures, each with its category. */
async function describe(
  speaker: Speaker,
  pictures: readonly (readonly [name: string, category: string])[],
): Promise<readonly string[]> {
  const questions = pictures.map(([picture, category]) => ({ picture, question: speakerPrompt(category) }));
  return (await speaker.ask(questions)).answers;
}

interface SaidOfGame {
  readonly game: LewisGame;
  readonly content: string;
  readonly category: string;
}

async function identified(listener: Listener, said: readonly SaidOfGame[]): Promise<IdentifiedGame[]> {
  const read = said.map(({ content, category }) => readDescription(content, category));
  const { answers } = await listener.ask(
    said.flatMap(({ game: { candidates } }, place) =>
      candidates.map((picture) => ({ picture, question: listenerQuestion(read[place]!.text) })),
    ),
  );
  let next = 0;
  const probabilities = said.map(({ game }) => answers.slice(next, (next += game.candidates.length)));
  return said.map(({ game, content }, place) => ({
    query_path: game.image,
    ret_paths: game.candidates,
    category: game.category,
    label: game.label,
    predicted: scoreCandidates(probabilities[place]!).predicted,
    solution: candidateName(game.label),
    content,
    description: read[place]!.text,
    yes_probabilities: probabilities[place]!,
    format: formatReward(content),
    length: lengthReward(read[place]!),
  }));
}

/** For held-out pairs: the speaker describes the reference, the listener decides whether its picture shows the same. */
async function recognized(
  asked: Understanding,
  { concepts, random }: NonNullable<Understanding['recognition']>,
): Promise<TaskResult<RecognizedPair, RecognitionMetrics>> {
  const { speaker, listener, games, config } = asked;
  const all = random.stream('order').shuffle([...drawPairs(concepts, { views: 'test', random })]);
  const pairs = all.slice(0, games.length);
  const results = await inParts(asked, pairs, async (some) => {
    const written = await describe(
      speaker,
      some.map(({ reference, category }) => [reference, category]),
    );
    const read = written.map((text, place) => readDescription(text, some[place]!.category).text);
    const { answers } = await listener.ask(
      some.map(({ query }, place) => ({ picture: query, question: listenerQuestion(read[place]!) })),
    );
    return some.map(({ query, reference, category, isSame }, place) => ({
      query_path: query,
      reference_path: reference,
      category,
      isSame,
      saidSame: answers[place]! > 0.5,
      yes_probability: answers[place]!,
      description: read[place]!,
    }));
  });
  return recognitionResult(config, results);
}

async function inParts<T, R>(
  { host }: Pick<Understanding, 'host'>,
  all: readonly T[],
  work: (some: readonly T[]) => Promise<readonly R[]>,
): Promise<R[]> {
  const found: R[] = [];
  for (let start = 0; start < all.length; start += atOnce) {
    stopIfAsked(host.signal);
    found.push(...(await work(all.slice(start, start + atOnce))));
  }
  return found;
}

function mean(values: readonly number[]): number | null {
  return values.length > 0 ? values.reduce((sum, value) => sum + value, 0) / values.length : null;
}
