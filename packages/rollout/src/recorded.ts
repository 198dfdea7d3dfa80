/**
 * Episodes played by other processes. The trainer replays each recording through the same function that plays episodes,
 * over an environment that repeats the recorded observations. So events, logs and training data come from one place,
 * and a slow environment costs the trainer nothing. If the players do not label, the trainer asks the expert during the
 * replay, step by step.
 */
import { EmacError, invariant, LostEpisode, type Episode, type Expert, type Trajectory } from '@emac/core';
import type { Attempt, Done, RecordedEpisode, Rollout } from './attempt.ts';
import { playEpisode, type Together } from './episode.ts';

/** The part of a trajectory that another process needs to replay it. */
export function recordedEpisode({ first, steps, fault }: Trajectory): RecordedEpisode {
  return {
    first,
    steps: steps.map(({ answer, label, action, result }) => ({ answer, label, action, result })),
    fault: fault ?? null,
  };
}

/**
 * Has every attempt played elsewhere, and replays each as it arrives. Up to `parallel` episodes that are labelled here are
 * replayed at a time. Errors: as `rollout`, those of `elsewhere` and of `done`; each after all work has ended.
 */
export async function playElsewhere(setup: Rollout, attempts: readonly Attempt[], done: Done): Promise<void> {
  const { labels, play } = setup.elsewhere!;
  const labelsHere = setup.expert !== null && !labels;
  const { stop, signal, isOver } = stoppable(setup.signal);
  const episodes = play({ ...setup, signal }, attempts)[Symbol.asyncIterator]();
  const [faults, taken]: [unknown[], Set<number>] = [[], new Set()];
  const stopIfAsked = labelsHere ? isOver : () => {};
  const lane = async (): Promise<void> => {
    for (let next = await episodes.next(); !next.done; next = await episodes.next()) {
      const [place, episode] = next.value;
      const attempt = attempts[place];
      invariant(attempt && !taken.has(place), `rollout: attempt ${place} does not exist or came back twice`);
      taken.add(place);
      await done(place, await playAgain(setup, attempt, { episode, stopIfAsked }));
    }
  };
  const guarded = () =>
    lane().catch((thrown: unknown) => {
      faults.push(thrown);
      stop();
    });
  await Promise.all(Array.from({ length: labelsHere ? setup.parallel : 1 }, guarded));
  await episodes.return?.();
  // one fault interrupts the others: throw the fault, not the interruptions
  if (faults.length > 0) throw faults.find((fault) => !isInterruption(fault)) ?? faults[0];
  const missing = attempts.findIndex((_, place) => !taken.has(place));
  invariant(missing < 0, `rollout: attempt ${missing} was not played`);
}

/** A signal that also fires when this is stopped, and a check that throws from then on. */
function stoppable(asked: AbortSignal | undefined) {
  const own = new AbortController();
  const signal = asked ? AbortSignal.any([asked, own.signal]) : own.signal;
  return {
    signal,
    stop: () => own.abort(),
    isOver() {
      if (signal.aborted) throw new EmacError('interrupted', 'rollout: stopped on request');
    },
  };
}

interface Replay extends Pick<Together, 'stopIfAsked'> {
  readonly episode: RecordedEpisode;
}

/**
 * The trajectory of a recorded episode, reported step by step as if played now; the attempt takes over its steps. Recorded
 * answers and labels are repeated. If the players do not label, the expert is asked at each new step, so an interruption keeps
 * every label already paid for. Errors: `data` if the attempt's earlier steps differ from the recording; those of `report`, `encode`,
 * the expert and `stopIfAsked`.
 */
async function playAgain(
  setup: Rollout,
  attempt: Attempt,
  { episode, stopIfAsked }: Replay,
): Promise<Trajectory> {
  const { labels } = setup.elsewhere!;
  invariant(
    labels || setup.expert === null || attempt.expertShare === 0,
    'rollout: an attempt labelled afterwards must have expert share 0',
  );
  requireSameBeginning(attempt, episode);
  const left = episode.steps.slice(attempt.made.length);
  const [answers, labelled] = [left.values(), left.values()];
  const throwFault = (): void => {
    if (episode.fault !== null) throw new LostEpisode(episode.fault);
  };
  const decide: Together['decide'] = async () => {
    const answer = answers.next().value?.answer;
    if (answer) return answer;
    throwFault();
    throw otherRecording('it does not end');
  };
  const label: Expert['label'] = async () => {
    const step = labelled.next().value;
    if (step?.label) return step.label;
    if (step) throw otherRecording('a step has no label');
    throwFault();
    // the expert had no label to act by
    return { kind: 'unusable', reason: 'as it was' };
  };
  const expert = setup.expert && (labels ? { label } : setup.expert);
  const environment = repeating(episode);
  return playEpisode({ ...setup, environment, expert }, attempt, { decide, stopIfAsked });
}

/** Returns the recorded observations for any action. */
function repeating({ first, steps }: RecordedEpisode): Rollout['environment'] {
  return {
    begin: async (task): Promise<Episode> => {
      const said = steps.values();
      return {
        task,
        first,
        step: async (action) => {
          const { value: step } = said.next();
          if (step?.action !== action) throw otherRecording(`it has no "${action}" at this place`);
          return step.result;
        },
        close: async () => {},
      };
    },
  };
}

/** Workers of the trainer's versions record no such episode. */
function otherRecording(what: string): EmacError {
  return new EmacError(
    'data',
    `recorded episode: must be one that a worker played, ${what}; find who wrote it, forget the run's results and start again`,
  );
}

function requireSameBeginning({ task, made }: Attempt, { steps }: RecordedEpisode): void {
  const place = made.findIndex(({ action }, index) => steps[index]?.action !== action);
  if (place < 0) return;
  const actions = `"${made[place]!.action}" before the interruption and "${steps[place]?.action ?? 'nothing'}" on the worker`;
  throw new EmacError(
    'data',
    `rollout: ${task.id}, step ${place}: actions must be equal, got ${actions}; start a new run`,
  );
}

/** True for an error that reports an interruption. */
export function isInterruption(thrown: unknown): boolean {
  return thrown instanceof EmacError && thrown.code === 'interrupted';
}
