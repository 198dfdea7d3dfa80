/** A policy plays episodes in words for an evaluation: no expert, no memories. */
import { Random, type Policy, type Sampling, type Speech } from '@emac/core';
import { tellSteps, type Host, type PolicyForm, type RunPlay } from '@emac/opening';
import {
  episodeTrace,
  evaluatedGame,
  playAlone,
  taskSeeds,
  type EvaluationResult,
  type EvaluationSubject,
  type PlayAlone,
} from '@emac/rollout';
import type { TracedPictures } from '../logs/traced-pictures.ts';
import type { KeptResult, When } from '../life/recipe.ts';
import { playedGame } from '../logs/published-logs.ts';
import { filmInWords } from './film.ts';
import { evaluateTasks, samplingOf, type PlayAttempts } from './evaluate-tasks.ts';

export interface PlayedInWords extends Pick<
  PlayAlone,
  'environment' | 'parallel' | 'random' | 'seedOf' | 'report'
> {
  readonly policy: Policy;
  readonly texts: Speech;
  readonly form: Pick<PolicyForm, 'maxSteps' | 'generation' | 'admissibleOnly'>;
  readonly sampling: Sampling;
  readonly attempts: number;
  /** each attempt becomes a line of `traces.jsonl`, with files of these pictures; absent: none */
  readonly pictures?: TracedPictures | undefined;
  readonly trainedOn: readonly string[];
  /** plays in other processes */
  readonly elsewhere?: PlayAlone['elsewhere'];
  readonly host: Pick<Host, 'listener' | 'signal'>;
}

/** Errors while playing: `interrupted`, those of the policy. */
export function playInWords({ policy, texts, form, host, ...playing }: PlayedInWords): PlayAttempts {
  const { trainedOn: names, report, pictures, ...play } = playing;
  const { attempts, elsewhere } = play;
  const trainedOn = new Set(names);
  const tell = tellSteps(host.listener);
  return ({ isOver, over, lost }) =>
    playAlone({
      ...play,
      ...(elsewhere && !pictures
        ? withoutPrompts(policy, texts)
        : { policy: pictures?.ofPolicy(policy) ?? policy, texts }),
      maxSteps: form.maxSteps,
      admissibleOnly: form.admissibleOnly,
      known: { has: isOver },
      report: async (event) => {
        await report?.(event);
        tell(event);
        if (event.kind !== 'episode-end') return;
        const { number, trajectory } = event;
        const { task, won, end, fault = '' } = trajectory;
        if (end === 'lost') return lost(task.id, fault);
        const again = attempts > 1 && { attempt: (number % attempts) + 1 };
        const played = playedGame(trajectory, { place: number, taskId: task.id, won });
        const game = { ...evaluatedGame(trajectory, { trainedOn }), ...again };
        const trace = pictures && episodeTrace(trajectory, again || {}, pictures.fileOf);
        over(game, { played, ...(trace && { trace }) });
      },
      ...(host.signal && { signal: host.signal }),
    });
}

/** Prompts played by workers are not rebuilt here: the evaluation's events do not contain them. */
function withoutPrompts(
  policy: Policy,
  texts: Speech,
): Pick<PlayedInWords, 'texts'> & Pick<PlayAlone, 'policy'> {
  const nothing = { key: '', data: new Float32Array(0) };
  return {
    policy: { encode: async () => nothing, decide: (...asked) => policy.decide(...asked) },
    texts: { ...texts, prompt: () => '' },
  };
}

export interface RunEvaluation extends Pick<
  PlayedInWords,
  'policy' | 'texts' | 'parallel' | 'trainedOn' | 'elsewhere'
> {
  readonly form: PlayedInWords['form'] & Parameters<RunPlay['open']>[0];
  readonly play: RunPlay;
  readonly subject: Omit<EvaluationSubject, 'sampling'>;
}

/**
 * An evaluation of a run in words, before training or after it: every task once, with the seeds that `emac eval` has by the run's seed. Errors:
 * `interrupted`; those of the policy.
 */
export async function evaluateRun(
  { play, parallel, subject, ...playing }: RunEvaluation,
  { when, checkpoint, journal, traces, film }: KeptResult & { readonly when: When },
  host: Pick<Host, 'listener' | 'signal'>,
): Promise<EvaluationResult> {
  const { environment } = await play.open(playing.form);
  const { beams } = playing.form.generation;
  const of = { attempts: 1, sampling: samplingOf({ temperature: 0 }, beams), host };
  const { result } = await evaluateTasks({
    ...of,
    ...subject,
    checkpoint,
    tasks: environment.tasks,
    journal: journal(),
    traces,
    play: playInWords({
      ...playing,
      ...of,
      environment,
      parallel: play.seats(parallel),
      pictures: traces?.pictures,
      ...(film !== undefined && { report: filmInWords(film) }),
      random: Random.fromSeed(subject.seed).stream('evaluation').stream(when),
      seedOf: taskSeeds(subject.seed),
    }),
  });
  return result;
}
