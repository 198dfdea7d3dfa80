/** Converts steps to samples of supervised fine-tuning: a picture, a prompt, and the action as the target. */
import { EmacError } from '@emac/core';
import type { PlacedStep } from '../mixture/mixed-steps.ts';

/** A target: a text, or token ids. */
export type ActionLabel = string | readonly number[];

export interface SftSample<Label extends ActionLabel = ActionLabel> {
  /** a PNG or JPEG file, as in the dataset */
  readonly image: Uint8Array;
  /** the prompt */
  readonly text: string;
  readonly output: Label;
  readonly dataset: string;
  /** the episode's index in its split */
  readonly episode: number;
  /** the step's index in its episode */
  readonly step: number;
}

export interface SampleOptions<Statistics, Label extends ActionLabel> {
  /** makes the prompt of an instruction */
  readonly prompt: (instruction: string) => string;
  /** makes the target of a dataset's action, with the dataset's statistics */
  readonly label: (action: Float32Array, statistics: Statistics) => Label;
}

/** A sample per step, in order. Errors: `data` for a step without a picture or an instruction. */
export async function* sftSamples<Statistics, Label extends ActionLabel>(
  steps: AsyncIterable<PlacedStep<Statistics>>,
  { prompt, label }: SampleOptions<Statistics, Label>,
): AsyncGenerator<SftSample<Label>, void, undefined> {
  for await (const { dataset, statistics, episode, step } of steps) {
    const { image, instruction, action, index } = step;
    if (image === null || instruction === null)
      throw new EmacError(
        'data',
        `${dataset}: episode ${episode.number}, step ${index}: must have a picture and an instruction; name both in the layout`,
      );
    const output = label(action, statistics);
    yield { image, text: prompt(instruction), output, dataset, episode: episode.number, step: index };
  }
}
