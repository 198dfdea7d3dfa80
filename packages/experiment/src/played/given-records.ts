/**
 * What a person gave in a session, as records of a dataset: commands as labels, choices between two commands as pairs. A state has one label and one
 * pair: the last ones count.
 */
import type { EpisodeMoment, Observation, OpenedKind, Task } from '@emac/core';
import { wholeSpeech, wordedTexts, type PublishedRecord } from '@emac/datasets';
import type { GameMoment, GameView } from '@emac/pages/data';
import type { ShownPictures } from './shown-pictures.ts';

export interface GivenRecords {
  readonly labels: readonly PublishedRecord[];
  readonly pairs: readonly PublishedRecord[];
  /** The picture that a record names. */
  picture(record: PublishedRecord): Uint8Array | null;
}

interface At {
  readonly task: Task;
  readonly place: EpisodeMoment;
  readonly shown: GameMoment;
}

export interface RecordsOptions {
  readonly kind: OpenedKind;
  /** the policy's answers, to whose prompts the records belong then; null: the environment's whole texts */
  readonly target: ((command: string, observation: Observation) => string) | null;
  readonly pictures: Pick<ShownPictures, 'file'>;
}

export function givenRecords({ kind, target, pictures }: RecordsOptions) {
  const speech = wholeSpeech(kind);
  const labels = new Map<string, PublishedRecord>();
  const pairs = new Map<string, PublishedRecord>();
  const preferred = new Map<string, NonNullable<GameView['preferred']>>();
  const recordOf = ({ task, place, shown }: At, command: string): PublishedRecord => {
    const { history, observation } = place;
    const prompt = shown.prompt ?? speech.prompt({ history, observation, memories: [] });
    const said = shown.prompt !== null && target ? target : speech.target;
    return {
      image: shown.picture === null ? undefined : imageOf(shown.picture),
      ...wordedTexts(prompt, said(command, observation), command),
      task_type: task.type ?? kind.id,
      game_id: task.id,
    };
  };
  return {
    label({ command, ...at }: At & { readonly command: string }): void {
      labels.set(keyOf(at.task, at.place), recordOf(at, command));
    },
    pair({ chosen, rejected, ...at }: At & { readonly chosen: string; readonly rejected: string }): void {
      const key = keyOf(at.task, at.place);
      const { text_output: text_output_neg } = recordOf(at, rejected);
      pairs.set(key, { ...recordOf(at, chosen), text_output_neg });
      preferred.set(key, { chosen, rejected });
    },
    preferredAt: (task: Task, place: EpisodeMoment) => preferred.get(keyOf(task, place)) ?? null,
    all: (): GivenRecords => ({
      labels: [...labels.values()],
      pairs: [...pairs.values()],
      picture: ({ image }) =>
        typeof image === 'string' ? pictures.file(image.slice(folder.length, -ending.length)) : null,
    }),
  };
}

const [folder, ending] = ['images/', '.png'];

function imageOf(name: string): string {
  return `${folder}${name}${ending}`;
}

function keyOf(task: Task, { history }: EpisodeMoment): string {
  return JSON.stringify([task.id, ...history.turns.map(({ command }) => command)]);
}
