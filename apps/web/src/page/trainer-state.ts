/** What the page knows, from what its trainer has said. */
import type { MetricsLine, RunView } from '@emac/pages/data';
import type { FromTrainer, GivenKind, TabRun } from '../tab/messages.ts';
import type { ShownEpisode } from '../tab/newest-episode.ts';

export interface TrainerState {
  /** a sentence */
  readonly said: string;
  /** why the last thing that was asked was not done */
  readonly refusal: string | null;
  readonly isReady: boolean;
  readonly isTraining: boolean;
  /** of the part that is under way */
  readonly progress: { readonly done: number; readonly total: number };
  /** folder of the run that is shown; null without one */
  readonly run: string | null;
  readonly lines: readonly MetricsLine[];
  /** its headline; null until it is read */
  readonly view: RunView | null;
  /** the newest episode, with addresses of its pictures by name */
  readonly film: (Omit<ShownEpisode, 'pictures'> & { readonly pictures: ReadonlyMap<string, string> }) | null;
  /** folder of the run whose games are open */
  readonly game: string | null;
  /** what was given in its games; null: nothing that its policy learns from */
  readonly given: Readonly<Record<GivenKind, number>> | null;
  /** whether the training asks a person, or has asked */
  readonly isTaught: boolean;
  readonly gpu: GpuState;
  readonly notes: readonly string[];
  readonly runs: readonly TabRun[];
}

/** Whether runs may compute there; null: nobody has asked. */
export type GpuState = null | 'checking' | { readonly fault: string | null };

const nothing = {
  lines: [],
  view: null,
  progress: { done: 0, total: 0 },
  film: null,
  game: null,
  given: null,
};

export const unopened: TrainerState = {
  ...nothing,
  said: 'Loading …',
  isReady: false,
  refusal: null,
  isTraining: false,
  isTaught: false,
  run: null,
  gpu: null,
  notes: [],
  runs: [],
};

type Told = FromTrainer | { readonly kind: 'asked' } | { readonly kind: 'checking' };

type Steps = {
  readonly [Kind in Told['kind']]: (
    state: TrainerState,
    message: Extract<Told, { kind: Kind }>,
  ) => TrainerState;
};

const ended = (state: TrainerState, said: string): TrainerState => ({ ...state, said, isTraining: false });

const steps: Steps = {
  asked: (state) => ({
    ...state,
    game: null,
    said: 'Opening …',
    refusal: null,
    isTraining: true,
    isTaught: false,
  }),
  checking: (state) => ({ ...state, gpu: 'checking' }),
  gpu: (state, { fault }) => ({ ...state, gpu: { fault } }),
  ready: (state) => ({ ...state, said: 'Ready.', isReady: true }),
  refused: (state, { message }) => ({ ...state, refusal: message }),
  absent: (state, { message }) => ({ ...state, said: message }),
  note: (state, { text }) => ({ ...state, notes: [...state.notes, text] }),
  run: (state, { folder }) => ({
    ...state,
    ...nothing,
    run: folder,
    refusal: null,
    isTaught: state.isTraining && state.isTaught,
    said: state.isTraining ? 'Training …' : state.said,
  }),
  progress: (state, { part, done, total }) => ({
    ...state,
    said: `${part}: ${done} of ${total}`,
    progress: { done, total },
  }),
  metrics: (state, { lines }) => ({ ...state, lines: [...state.lines, ...lines] }),
  view: (state, { view }) => ({ ...state, view }),
  stopped: (state) => ended(state, 'Stopped. Train goes on from here.'),
  failed: (state, { message }) => ended(state, message),
  finished: (state, { seconds, on }) => ended(state, `Finished in ${seconds.toFixed(1)} s on the ${on}.`),
  files: (state) => state,
  answer: (state) => state,
  game: (state, { folder }) => ({ ...state, game: folder, given: null, isTaught: false }),
  given: (state, { count }) => ({ ...state, given: count }),
  teaching: (state) => ({ ...state, isTaught: true }),
  episode(state, { kind: _, pictures, ...shown }) {
    for (const address of state.film?.pictures.values() ?? []) URL.revokeObjectURL(address);
    return { ...state, film: { ...shown, pictures: addressesOf(pictures) } };
  },
  runs: (state, { runs }) => ({
    ...state,
    runs,
    ...(!runs.some(({ folder }) => folder === state.run) && { ...nothing, run: null }),
  }),
};

function addressesOf(pictures: Readonly<Record<string, Uint8Array>>): Map<string, string> {
  return new Map(
    Object.entries(pictures).map(([name, bytes]) => [
      name,
      URL.createObjectURL(new Blob([bytes as Uint8Array<ArrayBuffer>], { type: 'image/png' })),
    ]),
  );
}

/** The state after a message. */
export function heard(state: TrainerState, message: Told): TrainerState {
  return (steps[message.kind] as (state: TrainerState, message: Told) => TrainerState)(state, message);
}
