/** Games in the published layouts: rows of the retrieval files, and rows of the training sets. */
import { EmacError } from '@emac/core';
import { candidateName, type LewisGame } from './games.ts';
import { speakerPrompt } from './prompts.ts';

export interface RetrievalRow {
  readonly query_path: string;
  readonly ret_paths: readonly string[];
  readonly label: number;
  readonly category: string;
}

export interface SpeakerRow {
  readonly image: string;
  readonly ret_paths: readonly string[];
  readonly names: readonly string[];
  readonly speaker_problem: string;
  readonly solution: string;
  readonly category: string;
  readonly example_idx: number;
}

export function retrievalRow({ image, candidates, label, category }: LewisGame): RetrievalRow {
  return { query_path: image, ret_paths: candidates, label, category };
}

/** `place` is the game's number in its set. */
export function speakerRow(game: LewisGame, place: number): SpeakerRow {
  const names = game.candidates.map((_, which) => candidateName(which));
  return {
    image: game.image,
    ret_paths: game.candidates,
    names,
    speaker_problem: speakerPrompt(game.category),
    solution: names[game.label]!,
    category: game.category,
    example_idx: place,
  };
}

/** Games from the retrieval rows of a file; such rows do not name concepts. Errors: `data` with the row's number. */
export function gamesOfRows(rows: unknown): readonly LewisGame[] {
  if (!Array.isArray(rows))
    throw new EmacError('data', `retrieval rows: must be a list, got ${JSON.stringify(rows)}`);
  return rows.map((row: Partial<Record<keyof RetrievalRow, unknown>> | null, place) => {
    const { query_path: image, ret_paths: candidates, label, category } = row ?? {};
    const fits =
      typeof image === 'string' &&
      typeof category === 'string' &&
      Array.isArray(candidates) &&
      candidates.every((each) => typeof each === 'string') &&
      Number.isSafeInteger(label) &&
      (label as number) >= 0 &&
      (label as number) < candidates.length;
    if (!fits)
      throw new EmacError(
        'data',
        `retrieval rows: row ${place} must have query_path, ret_paths, category and label, a place in ret_paths, got ${JSON.stringify(row)}`,
      );
    return { category, concept: '', image, candidates: candidates as string[], label: label as number };
  });
}
