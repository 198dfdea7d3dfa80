/**
 * The language model's hidden state at a prompt's last position, or before each token of its answer, after the last norm:
 * the input of a value head, and the place where a value's gradient enters the policy.
 */
import type { Prompt } from '@emac/core';
import type { Engine } from './engine.ts';
import type { PolicyParameters } from './rows/policy-parameters.ts';
import { readPrompt } from './read-prompt.ts';
import { stateNetwork } from './rows/row-graphs.ts';
import { rowGradients } from './row-gradients.ts';
import { floats, runRows, type RowGroup, type StudentRow } from './rows/row-runs.ts';

/** The tokens of an answer to each prompt. */
export type Answers = readonly (readonly number[])[];

export interface PromptStates {
  /**
   * States of prompts [R · D]. With `answers`, those before each of their tokens, row by row; the first of each is its
   * prompt's. Errors: `data` if a prompt has too many tokens.
   */
  states(prompts: readonly Prompt[], answers?: Answers): Promise<Float32Array>;
  /** Gradients of the policy's own parameters for a loss with these slopes ∂loss/∂state, as `states`. Errors: as there. */
  stateGradients(
    prompts: readonly Prompt[],
    slopes: Float32Array,
    answers?: Answers,
  ): Promise<ReadonlyMap<string, Float32Array>>;
}

/** For the policy of an engine with these parameters. The adapter's training dropout is off: a value is one of the whole policy. */
export function promptStates(engine: Engine, parameters: PolicyParameters): PromptStates {
  const { sessions, layout, backbone, adapters } = engine;
  const width = backbone.files.config.llama.hiddenSize;
  return {
    states: async (prompts, answers) => {
      const starts = startsOf(prompts, answers);
      const found = new Float32Array(starts.at(-1)! * width);
      const session = await sessions.open('states', (model) => stateNetwork(model, { slopes: false }));
      const adapted = adapters.of(parameters.adapter());
      await runRows(layout, rowsOf(engine, prompts, answers), {
        visual: parameters.visual,
        session,
        feeds: ({ positions }) => ({ ...adapted, ...adapters.dropout(positions, null) }),
        take: (group, results) => {
          const states = floats(results, 'states');
          placesOf(group, starts).forEach((place, label) =>
            found.set(states.subarray(label * width, (label + 1) * width), place * width),
          );
        },
      });
      return found;
    },
    stateGradients: async (prompts, slopes, answers) => {
      const starts = startsOf(prompts, answers);
      const session = await sessions.open('state slopes', (model) => stateNetwork(model, { slopes: true }));
      return rowGradients(engine, parameters, {
        rows: rowsOf(engine, prompts, answers),
        session,
        dropout: null,
        feeds: (group) => {
          const places = placesOf(group, starts);
          const data = new Float32Array(places.length * width);
          places.forEach((place, label) =>
            data.set(slopes.subarray(place * width, (place + 1) * width), label * width),
          );
          return { state_slopes: { type: 'float32', shape: [places.length, width], data } };
        },
        take: () => undefined,
      });
    },
  };
}

/** The state before an answer's first token is the prompt's last, whatever that token is. */
function rowsOf(engine: Engine, prompts: readonly Prompt[], answers?: Answers): StudentRow[] {
  const { tokens } = engine;
  return prompts.map((prompt, place) => {
    const { images, pictures, text } = readPrompt(prompt, engine);
    return {
      images,
      tokens: tokens.row({ pictures, text, answers: [answers?.[place] ?? [tokens.endToken]] }),
    };
  });
}

/** The place of each row's first state, and their number. */
function startsOf(prompts: readonly Prompt[], answers?: Answers): number[] {
  const starts = [0];
  for (const place of prompts.keys()) starts.push(starts[place]! + (answers ? answers[place]!.length : 1));
  return starts;
}

/** For each label of a run the place of its state. */
function placesOf({ members, owners }: RowGroup, starts: readonly number[]): number[] {
  const next = new Map<number, number>();
  return owners.map(({ row }) => {
    const place = next.get(row) ?? starts[members[row]!]!;
    next.set(row, place + 1);
    return place;
  });
}
