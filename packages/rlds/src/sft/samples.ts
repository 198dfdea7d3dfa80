/** Steps as samples of supervised fine-tuning: a picture, what the model reads, and the action as what it is to say. */
import { EmacError } from '@emac/core';
import type { PlacedStep } from '../mixture/mixed-steps.ts';

/** What an action is said with: a text, or ids of tokens. */
export type ActionLabel = string | readonly number[];

export interface SftSample<Label extends ActionLabel = ActionLabel> {
  /** of a PNG or JPEG file, as the dataset has it */
  readonly image: Uint8Array;
  /** what the model reads */
  readonly text: string;
  readonly output: Label;
  readonly dataset: string;
  /** the episode's place in its split, from 0 */
  readonly episode: number;
  /** the step's place in its episode, from 0 */
  readonly step: number;
}

export interface SampleOptions<Statistics, Label extends ActionLabel> {
  /** what the model reads of an instruction */
  readonly prompt: (instruction: string) => string;
  /** what the model is to say of an action as the dataset has it, with the statistics of that dataset */
  readonly label: (action: Float32Array, statistics: Statistics) => Label;
}

/** A sample of every step, in order. Errors: `data` for a step without a picture or an instruction. */
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
