/**
 * Reads the folder of a run or an evaluation for display. It writes nothing; a run in progress is read as far as it has
 * got.
 */
import { existsSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { EmacError } from '@emac/core';
import { pathInside, readJson, readText } from '@emac/files';
import {
  seriesOf,
  type EpisodeHead,
  type EpisodeView,
  type EvaluationView,
  type MetricsLine,
  type RunView,
} from '@emac/pages/data';
import { layout, readRecord, standingOf } from '@emac/runs';
import type { DatasetResult, EvaluationResult } from '@emac/rollout';
import { jsonLines, readEpisode } from './read-episode.ts';
import { noNotes, notesIn, type Notes } from '../board/notes.ts';
import { readAttempts } from './read-attempt.ts';
import { aboutEvaluation, aboutRun } from './run-facts.ts';
import { wordsOf } from './words.ts';
import { workingSeconds } from './working-time.ts';

const evaluations = [
  ['before', layout.evaluationBefore],
  ['after', layout.evaluation],
] as const;

/** Reads a JSON-lines file; lines that are no objects are skipped. */
type ReadLines = (path: string) => readonly Readonly<Record<string, unknown>>[];

/** Errors: `missing` if the folder holds neither a run nor an evaluation; `data` for a damaged file. */
export function readRun(folder: string, now: Date, readLines: ReadLines = jsonLines): RunView {
  const isRun = existsSync(join(folder, layout.run));
  const record = isRun ? readRecord(folder) : null;
  const result = resultIn(folder, layout.evaluation);
  const found = evaluations.flatMap(([name, file]) => evaluationIn(folder, isRun ? name : 'result', file));
  if (!isRun && !existsSync(join(folder, layout.evaluation)))
    throw new EmacError(
      'missing',
      `${folder}: holds neither ${layout.run} nor ${layout.evaluation}; give the folder of a run or of an evaluation`,
    );
  const metrics = linesIn(folder, layout.metrics, readLines).filter(
    (line): line is MetricsLine => typeof line['kind'] === 'string',
  );
  const [config, command] = [textIn(folder, layout.config), textIn(folder, layout.command)];
  const notes = notesOf(folder);
  const view = {
    name: basename(resolve(folder)),
    title: notes.title ?? record?.title ?? null,
    note: notes.note,
    method: record ? (record.method ?? record.phase) : null,
    state: isRun ? standingOf(folder, now).status : null,
    config,
    command,
    series: seriesOf(metrics, workingSeconds(linesIn(folder, layout.events, readLines), metrics.length)),
    evaluations: found,
    answers: isOfDataset(result) ? result : null,
    episodes: isRun ? trainedEpisodes(folder, readLines) : evaluatedEpisodes(found),
    attempts: readAttempts(folder),
  };
  const about = record
    ? aboutRun({ record, config, command }, now)
    : aboutEvaluation(found[0]?.result ?? null);
  return { ...view, ...about, words: wordsOf(view) };
}

/** One episode of a run or an evaluation with its steps, and the lessons that were there before it. Errors: `missing`. */
export function readEpisodeOf(folder: string, episode: number): EpisodeView {
  const name = join(layout.episodes, `${String(episode).padStart(6, '0')}.jsonl`);
  const path = join(folder, name);
  if (!existsSync(path))
    throw new EmacError('missing', `${path}: does not exist; episode ${episode} was not recorded`);
  const view = readEpisode(pathInside(folder, name));
  return { ...view, memories: lessonsBefore(folder, view) };
}

function evaluationIn(folder: string, name: string, file: string): EvaluationView[] {
  const result = resultIn(folder, file);
  return result !== null && !isOfDataset(result) && result.by_type ? [{ name, result }] : [];
}

/** It has answers in place of games. */
function isOfDataset(result: EvaluationResult | DatasetResult | null): result is DatasetResult {
  return (result as Partial<DatasetResult> | null)?.by_task_type !== undefined;
}

function resultIn(folder: string, file: string): EvaluationResult | DatasetResult | null {
  const path = join(folder, file);
  if (!existsSync(path)) return null;
  const result = readJson(pathInside(folder, file)) as EvaluationResult | DatasetResult | null;
  const missing = missingIn(result);
  if (missing === null) return result;
  throw new EmacError(
    'data',
    `${path}: is no evaluation, it has no ${missing}; it was damaged, put it back or make it again`,
  );
}

/** The first part that an evaluation needs and this lacks; null for a whole one. */
function missingIn(result: unknown): string | null {
  if (typeof result !== 'object' || result === null || Array.isArray(result)) return 'fields';
  const { by_type: byType, ...found } = result as Readonly<Record<string, unknown>>;
  // of a dataset, or of no games
  if (byType === undefined) return null;
  const isWhole: Readonly<Record<string, boolean>> = {
    by_type: typeof byType === 'object' && byType !== null,
    games: Array.isArray(found['games']),
    seen: typeof found['seen'] === 'object' && found['seen'] !== null,
    success: isNumberOrNull(found['success']),
    mean_steps: isNumberOrNull(found['mean_steps']),
  };
  return Object.keys(isWhole).find((name) => !isWhole[name]) ?? null;
}

const isNumberOrNull = (value: unknown): boolean => value === null || typeof value === 'number';

/** Finished episodes; one replayed after a kill counts once. */
function trainedEpisodes(folder: string, readLines: ReadLines): EpisodeHead[] {
  const heads = new Map<number, EpisodeHead>();
  for (const line of linesIn(folder, layout.events, readLines)) {
    const { kind, episode, round, taskId, won, expertWon, steps } = line;
    if (kind !== 'episode-end' || typeof episode !== 'number' || typeof taskId !== 'string') continue;
    heads.set(episode, {
      episode,
      round: typeof round === 'number' ? round : null,
      taskId,
      taskType: typeOfTask(taskId),
      won: won === true,
      expertWon: expertWon === true,
      steps: Number(steps),
    });
  }
  return [...heads.values()].sort((a, b) => a.episode - b.episode);
}

function evaluatedEpisodes([evaluation]: readonly EvaluationView[]): EpisodeHead[] {
  return (evaluation?.result.games ?? []).map(({ id, type, won, steps }, episode) => {
    return { episode, round: null, taskId: id, taskType: type, won, expertWon: false, steps };
  });
}

/** The lessons from earlier failures at the same task. */
function lessonsBefore(folder: string, { taskId, round }: EpisodeHead): string[] {
  return linesIn(folder, layout.events).flatMap((line) => {
    const isBefore =
      line['kind'] === 'lesson' && line['taskId'] === taskId && Number(line['round']) < (round ?? 0);
    return isBefore && typeof line['lesson'] === 'string' ? [line['lesson']] : [];
  });
}

/** `pick_and_place_simple-Box-None-Sofa-L2/trial_…` is a `pick_and_place_simple`. */
function typeOfTask(taskId: string): string | null {
  const end = taskId.indexOf('-');
  return end > 0 ? taskId.slice(0, end) : null;
}

function linesIn(folder: string, name: string, readLines: ReadLines = jsonLines) {
  return existsSync(join(folder, name)) ? readLines(pathInside(folder, name)) : [];
}

/** Damaged notes say nothing. */
function notesOf(folder: string): Notes {
  try {
    const text = textIn(folder, layout.notes);
    return text === null ? noNotes : notesIn(text);
  } catch {
    return noNotes;
  }
}

function textIn(folder: string, name: string): string | null {
  return existsSync(join(folder, name)) ? readText(pathInside(folder, name)) : null;
}
