/**
 * `traces.jsonl` of PPO, whose episodes end in any update: the steps of those under way are kept in a file of their own, so that
 * a resumed run writes whole episodes.
 */
import { join } from 'node:path';
import type { PpoRun, PpoState } from '@emac/algorithms';
import { createFolder, readJournal } from '@emac/files';
import { trainingTaskOf, type PpoPolicy, type StepAction } from '@emac/opening';
import { isSuccess, traceLine, traceStep, trainingSeed, type TraceStep } from '@emac/rollout';
import { layout } from '@emac/runs';
import type { PpoConfig } from '@emac/settings';
import type { Work } from '../life/recipe.ts';
import { runTraces } from '../logs/run-traces.ts';
import { tracedPictures } from '../logs/traced-pictures.ts';
import { trainingRandom } from './ppo-workers.ts';

const openTraces = `${layout.buffers}/open-traces.jsonl`;

/** A line of that file: the steps of an update whose episodes were not over at its end, by environment. */
interface OpenSteps {
  readonly update: number;
  readonly steps: readonly (readonly TraceStep[])[];
  /** episodes that have ended before, by environment; absent in runs of earlier versions */
  readonly ended?: readonly number[];
}

interface TracedPpo {
  readonly config: PpoConfig;
  readonly policy: Pick<PpoPolicy, 'kind' | 'texts'>;
  readonly state: PpoState | null;
}

/** Empty where none are asked for. Errors: `cannot-create`, `io`, `data`. */
export function ppoTraces(
  work: Work,
  { config, policy, state }: TracedPpo,
): Partial<Pick<PpoRun<StepAction>, 'collected' | 'texts'>> {
  if (!config.traces) return {};
  const { folder } = work.run;
  const pictures = tracedPictures(work.run);
  createFolder(join(folder, layout.buffers));
  const traces = runTraces(work, config)!;
  const kept = runTraces(work, config, openTraces)!;
  const lines = readJournal(join(folder, openTraces)) as OpenSteps[];
  const underWay = stepsUnderWay(lines, state, config);
  const ended = [...(lines.at(-1)?.ended ?? underWay.map(() => 0))];
  const random = trainingRandom(config);
  // a curriculum chooses its tasks
  const isDrawn = config.curriculum.formula === null && (lines.length === 0 || lines.at(-1)!.ended);
  const taskAt = (place: number): string =>
    isDrawn ? trainingTaskOf(config, policy, trainingSeed(random, place, ended[place]!)) : config.env;
  return {
    texts: pictures.ofTexts(policy.texts),
    collected({ environments, prompts, answers, actions, rewards, terminated, truncated, finished }, update) {
      const since = underWay.map(({ length }) => length);
      const ends = finished.values();
      for (const [at, prompt] of prompts.entries()) {
        const place = at % environments;
        const said = { prompt, answer: answers[at]!, action: actions[at], reward: rewards[at]! };
        underWay[place]!.push(traceStep(said, pictures.fileOf));
        if (!terminated[at] && !truncated[at]) continue;
        const over = ends.next().value!;
        const of = {
          update,
          environment: place,
          task: taskAt(place),
          task_type: null,
          reward: over.return,
          success: isSuccess(over),
          end: over.truncated ? 'truncated' : 'terminated',
        } as const;
        traces.append(traceLine(underWay[place]!, of));
        underWay[place] = [];
        ended[place]!++;
        since[place] = 0;
      }
      const steps = underWay.map((own, place) => own.slice(since[place]));
      kept.append({ update, steps, ended } satisfies OpenSteps);
    },
  };
}

/** Each environment's newest steps, as many as its episode has at the checkpoint. */
function stepsUnderWay(
  lines: readonly OpenSteps[],
  state: PpoState | null,
  { play }: Pick<PpoConfig, 'play'>,
): TraceStep[][] {
  return Array.from({ length: play.environments }, (_, place) => {
    const count = state?.running[place]!.steps ?? 0;
    const all = lines.flatMap(({ steps }) => steps[place] ?? []);
    return all.slice(all.length - count);
  });
}
