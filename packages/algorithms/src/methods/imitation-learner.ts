/** Learning from the expert's labels, by imitation of all rounds. */
import type { ImitationBuffer } from '@emac/buffers';
import type { Speech, Trajectory } from '@emac/core';
import { episodesIn, type RowsOf } from '../episode-order.ts';
import { rightAnswer } from '../learned-answers.ts';
import type { ProbeStep } from '../probe.ts';
import type { SampleSettings } from '../label-settings.ts';
import type { ImitationSample } from './imitation.ts';
import type { EpisodePlace, Learner, Method } from './method.ts';
import { drawMicroBatches, samplesAt } from './micro-batches.ts';
import { selectSteps } from './select-steps.ts';

export interface ImitationParts {
  readonly method: Method<ImitationSample>;
  /** created with `distinct` if the selection is */
  readonly buffer: ImitationBuffer;
  readonly texts: Speech;
  readonly settings: Pick<SampleSettings, 'selection' | 'trainOnUnusable'>;
  readonly probe?: readonly ProbeStep[];
  /** default `steps` */
  readonly rows?: RowsOf;
}

export function imitationLearner({
  method,
  buffer,
  texts,
  settings,
  probe = [],
  rows = 'steps',
}: ImitationParts): Learner {
  const episodes = rows === 'episodes' ? episodesIn(buffer) : () => null;
  const probed = probe.map(({ prompt, chosen }) => ({ prompt, answer: chosen }));
  return {
    length: () => buffer.length,
    appended: () => buffer.appended,
    store({ task, steps }: Trajectory, { round, episode }: EpisodePlace) {
      const before = buffer.appended;
      for (const { index, step } of selectSteps(steps, settings.selection)) {
        const answer = rightAnswer(step, texts, settings);
        if (answer === null) continue;
        const place = { taskId: task.id, round, episode, step: index };
        buffer.append({ ...place, prompt: step.prompt!, answer: answer.said });
      }
      return Promise.resolve(buffer.appended - before);
    },
    gradient: (draw, lossScale) =>
      method.gradient(
        samplesAt(drawMicroBatches(buffer.length, draw, episodes()), (index) => buffer.at(index)),
        lossScale,
      ),
    probe: async () =>
      probed.length > 0 ? { ...(await method.measure(probed)), steps: probed.length } : null,
  };
}
