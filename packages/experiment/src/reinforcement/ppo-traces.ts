/**
 * `traces.jsonl` of PPO, whose episodes end in any update: the steps of those under way are kept in a file of their own, so that
 * a resumed run writes whole episodes.
 */
import { join } from 'node:path';
import type { PpoRun, PpoState } from '@emac/algorithms';
import { createFolder, readJournal } from '@emac/files';
import type { StepAction } from '@emac/opening';
import { isSuccess, traceLine, traceStep, type TraceStep } from '@emac/rollout';
import { layout } from '@emac/runs';
import type { PpoConfig } from '@emac/settings';
import type { Work } from '../life/recipe.ts';
import { runTraces } from '../logs/run-traces.ts';

const openTraces = `${layout.buffers}/open-traces.jsonl`;

/** A line of that file: the steps of an update whose episodes were not over at its end, by environment. */
interface OpenSteps {
  readonly update: number;
  readonly steps: readonly (readonly TraceStep[])[];
}

type Collected = Pick<PpoRun<StepAction>, 'collected'>;

/** Empty where none are asked for. Errors: `cannot-create`, `io`, `data`. */
export function ppoTraces(work: Work, config: PpoConfig, state: PpoState | null): Collected {
  if (!config.traces) return {};
  const { folder } = work.run;
  createFolder(join(folder, layout.buffers));
  const traces = runTraces(work, config)!;
  const kept = runTraces(work, config, openTraces)!;
  const underWay = stepsUnderWay(readJournal(join(folder, openTraces)) as OpenSteps[], state, config);
  return {
    collected({ environments, prompts, answers, actions, rewards, terminated, truncated, finished }, update) {
      const since = underWay.map(({ length }) => length);
      const ends = finished.values();
      for (const [at, prompt] of prompts.entries()) {
        const place = at % environments;
        const said = { prompt, answer: answers[at]!, action: actions[at], reward: rewards[at]! };
        underWay[place]!.push(traceStep(said));
        if (!terminated[at] && !truncated[at]) continue;
        const ended = ends.next().value!;
        const of = {
          update,
          environment: place,
          task: config.env,
          task_type: null,
          reward: ended.return,
          success: isSuccess(ended),
          end: ended.truncated ? 'truncated' : 'terminated',
        } as const;
        traces.append(traceLine(underWay[place]!, of));
        underWay[place] = [];
        since[place] = 0;
      }
      const steps = underWay.map((own, place) => own.slice(since[place]));
      kept.append({ update, steps } satisfies OpenSteps);
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
