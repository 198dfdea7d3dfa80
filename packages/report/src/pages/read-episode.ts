/** Transcripts of episodes, `episodes/NUMBER.jsonl` of a run or evaluation. */
import { basename } from 'node:path';
import { readText } from '@emac/files';
import type { EpisodeView, StepView } from '@emac/pages/data';

type Line = Readonly<Record<string, unknown>>;

/** The lines of a JSON-lines file; a partial line, or one that is no object, is skipped. */
export function jsonLines(path: string): Line[] {
  return readText(path)
    .split('\n')
    .flatMap((line) => {
      try {
        const value: unknown = JSON.parse(line);
        return typeof value === 'object' && value !== null ? [value as Line] : [];
      } catch {
        return [];
      }
    });
}

/** An episode with its steps; lessons are not in it. Errors: those of reading the file. */
export function readEpisode(path: string): EpisodeView {
  const lines = jsonLines(path);
  const start = lines.find(({ kind }) => kind === 'episode-start') ?? {};
  const end = lines.find(({ kind }) => kind === 'episode-end') ?? {};
  const shown = lines.filter(({ kind }) => kind === 'step').map(stepOf);
  const observation = textOf(start['observation']) ?? '';
  const parts = shown.findIndex(({ own, label }) => own !== null && label !== null && own !== label);
  return {
    episode: numberOf(end['episode']) ?? numberOf(start['episode']) ?? Number.parseInt(basename(path), 10),
    round: numberOf(start['round']),
    taskId: textOf(start['taskId']) ?? '',
    taskType: textOf(start['taskType']),
    won: end['won'] === true,
    expertWon: end['expertWon'] === true,
    steps: shown.length,
    parts: parts < 0 ? null : parts,
    task: taskOf(observation),
    observation,
    frames: framesOf(start),
    shown,
    memories: [],
  };
}

function stepOf(line: Line): StepView {
  return {
    command: textOf(line['command']) ?? '',
    own: textOf(line['own']),
    label: textOf(line['label']),
    reason: textOf(line['reason']),
    reward: numberOf(line['reward']),
    thoughts: textsOf(line['thoughts']),
    observation: textOf(line['observation']) ?? '',
    frames: framesOf(line),
  };
}

/** ALFWorld ends its first observation with the task; other worlds' first line stands for it. */
function taskOf(observation: string): string {
  return /Your task is to: (.+)/.exec(observation)?.[1] ?? observation.split('\n')[0] ?? '';
}

function framesOf(line: Line): readonly string[] {
  const one = textOf(line['frame']);
  return one === null ? textsOf(line['frames']) : [one];
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : null);
const numberOf = (value: unknown) => (typeof value === 'number' ? value : null);
const textsOf = (value: unknown) =>
  Array.isArray(value) ? value.filter((each): each is string => typeof each === 'string') : [];
