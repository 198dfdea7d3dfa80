/**
 * `logging_results` while a run trains. The running log is written live; on resume it is rebuilt up to the checkpoint,
 * from transcripts, metrics and its own lines of micro-steps, which stand nowhere else. A round's files are made from its
 * transcripts when it ends.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DaggerState, MetricsLine, MicroStep, OfflineEvent, ProgressEvent } from '@emac/algorithms';
import { EmacError, type Trainable } from '@emac/core';
import {
  isThere,
  createFolder,
  openAppendFile,
  readJournal,
  whileReading,
  writeFileAtomic,
} from '@emac/files';
import { layout, type Run } from '@emac/runs';
import {
  firstResults,
  microStepText,
  microStepTexts,
  playedGame,
  runningLogStart,
  stepTexts,
  trainingStart,
  type PlayedGame,
  type PlayedStep,
} from './published-logs.ts';
import { readResults, runningLog, writeRound } from './published-logs-folder.ts';

export interface Published {
  readonly run: Pick<Run, 'folder' | 'results' | 'syncs'>;
  /** ids of the run's list; none in training on a dataset */
  readonly games: readonly string[];
  /** lessons that the run began with */
  readonly memories: DaggerState['memories'];
  /** micro-steps of an update */
  readonly microStepsOf: (line: MetricsLine) => number;
  /** episodes that one version of the policy plays: their steps stand before the updates that follow */
  readonly episodesPerUpdate: number;
  readonly policy: Pick<Trainable, 'groups'>;
  /** state of a resumed run; null at the start, and in training on a dataset */
  readonly state: Pick<DaggerState, 'episodes' | 'current'> | null;
  /** milliseconds */
  readonly now: () => number;
}

export interface PublishedLogs {
  event(event: ProgressEvent | OfflineEvent): void;
  close(): void;
}

const readText = (path: string) => whileReading(path, () => readFileSync(path, 'utf8'));

/** Opens the logs of a new or resumed run. Errors: `io`, `cannot-create`. */
export function publishedLogs(published: Published): PublishedLogs {
  const { run, now, state } = published;
  const path = join(run.results, runningLog);
  const updates = updateTexts(published, isThere(path) ? readText(path) : '');
  const before = textBefore(published, updates);
  createFolder(run.results);
  writeFileAtomic(path, before);
  const log = openAppendFile(path, { length: Buffer.byteLength(before) });
  run.syncs(log);
  const write = (text: string) => log.append(new TextEncoder().encode(text));
  let lessons = new Map<string, string[]>();
  let [since, episodes] = [now(), finishedEpisodes(state)];
  return {
    event(event) {
      switch (event.kind) {
        // steps of episodes under way at once come mixed: they are written in the order of the episodes
        case 'episode-end':
          episodes = event.episode + 1;
          write(stepTexts(gameOf(event)));
          return;
        case 'update':
          write(updates(event.line, event.microSteps));
          return;
        case 'lesson':
          lessons.set(event.taskId, [...(lessons.get(event.taskId) ?? []), event.lesson]);
          return;
        case 'round-end': {
          const seconds = (now() - since) / 1000;
          if (published.games.length > 0) endRound(published, { ...event.line, lessons, episodes, seconds });
          [lessons, since] = [new Map(), now()];
          return;
        }
        default:
          return;
      }
    },
    close: () => log.close(),
  };
}

/** The lines of an update; of one in `metrics.jsonl` without its micro-steps. */
type UpdateTexts = (line: MetricsLine, microSteps?: readonly MicroStep[]) => string;

/**
 * Each micro-step's line, the first of an episode's or an epoch's below the mark of training. An update from
 * `metrics.jsonl` has the lines of `log`, and one line of its own where that lacks one.
 */
function updateTexts({ microStepsOf }: Pick<Published, 'microStepsOf'>, log: string): UpdateTexts {
  const known = microStepTexts(log);
  let [round, iterations, group] = [-1, 0, ''];
  return (line, microSteps) => {
    if (line.round !== round) [round, iterations] = [line.round, 0];
    const now = `${round} ${line['episode'] ?? ''}`;
    const mark = now === group ? '' : trainingStart;
    group = now;
    const [first, count] = [iterations, microSteps?.length ?? microStepsOf(line)];
    iterations += count;
    if (microSteps)
      return `${mark}${microSteps.map((each, place) => microStepText(each, { round, iteration: first + place })).join('')}`;
    const lines = Array.from({ length: count }, (_, place) => known.get(`${round} ${first + place}`));
    const own = { lr: Number(line['lr']), measures: line as MicroStep['measures'] };
    const texts = lines.includes(undefined)
      ? [microStepText(own, { round, iteration: iterations - 1 })]
      : lines;
    return `${mark}${texts.join('')}`;
  };
}

/** Episodes with a transcript: also those whose updates are not finished. */
function finishedEpisodes(state: Published['state']): number {
  if (!state) return 0;
  const { episodes, current } = state;
  return episodes + (current?.learning ? current.steps.length : 0);
}

function textBefore({ run, policy, state, episodesPerUpdate }: Published, updates: UpdateTexts): string {
  const path = join(run.folder, layout.metrics);
  const lines = isThere(path) ? (readJournal(path) as MetricsLine[]) : [];
  const made = lines.filter(({ kind }) => kind === 'update');
  const texts = [runningLogStart(policy)];
  let next = 0;
  const finished = finishedEpisodes(state);
  for (const [first, transcripts] of groups(run, finished, episodesPerUpdate)) {
    for (const { game } of transcripts) texts.push(stepTexts(game));
    const end = first + transcripts.length;
    while (next < made.length && Number(made[next]!['episode']) < end) texts.push(updates(made[next++]!));
  }
  for (const line of made.slice(next)) texts.push(updates(line));
  return texts.join('');
}

/** Transcripts of episodes that were under way together: of one round, so many at a time; with the first one's number. */
function* groups(
  run: Pick<Run, 'folder'>,
  finished: number,
  size: number,
): Generator<readonly [first: number, readonly Transcript[]]> {
  let group: Transcript[] = [];
  for (let episode = 0; episode < finished; episode++) {
    const transcript = readTranscript(run, episode);
    if (!transcript) continue;
    if (group.length === size || (group.length > 0 && group[0]!.round !== transcript.round)) {
      yield [episode - group.length, group];
      group = [];
    }
    group.push(transcript);
  }
  if (group.length > 0) yield [finished - group.length, group];
}

interface Transcript {
  readonly round: number;
  readonly game: PlayedGame;
}

function gameOf({
  place,
  taskId,
  trajectory,
  won,
}: Extract<ProgressEvent, { kind: 'episode-end' }>): PlayedGame {
  return playedGame(trajectory, { place, taskId, won });
}

interface EndedRound {
  readonly round: number;
  readonly lessons: ReadonlyMap<string, readonly string[]>;
  /** with a transcript */
  readonly episodes: number;
  readonly seconds: number;
}

function endRound(
  { run, games, memories }: Published,
  { round, lessons, episodes, seconds }: EndedRound,
): void {
  const played = new Map<number, PlayedGame>();
  for (let episode = episodes - 1; episode >= 0; episode--) {
    const transcript = readTranscript(run, episode);
    if (transcript?.round !== round) break;
    played.set(transcript.game.place, transcript.game);
  }
  const known = (round > 0 ? readResults(run.results, round - 1) : null) ?? [];
  // all tasks in the first round, later those added since
  const before = [...known, ...firstResults(games, new Map(memories)).slice(known.length)];
  writeRound(run.results, { round, games, played, lessons, before, seconds });
}

/** Null if it was removed. Errors: `data` for one that is not whole. */
function readTranscript({ folder }: Pick<Run, 'folder'>, episode: number): Transcript | null {
  const path = join(folder, layout.episodes, `${String(episode).padStart(6, '0')}.jsonl`);
  if (!isThere(path)) return null;
  const [start, ...rest] = readJournal(path) as ProgressEvent[];
  const end = rest.pop();
  if (start?.kind !== 'episode-start' || end?.kind !== 'episode-end')
    throw new EmacError(
      'data',
      `${path}: must begin and end an episode; it was damaged, put it back or remove it`,
    );
  const { round, place, taskId, observation } = start;
  return {
    round,
    game: { place, taskId, observation, steps: rest as unknown as PlayedStep[], won: end.won },
  };
}
