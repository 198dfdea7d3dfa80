/**
 * The language model's hidden state at a prompt's last position, after the last norm: the input of a value head, and
 * the place where a value's gradient enters the policy.
 */
import type { Prompt } from '@emac/core';
import type { Engine } from './engine.ts';
import type { PolicyParameters } from './rows/policy-parameters.ts';
import { readPrompt } from './read-prompt.ts';
import { stateNetwork } from './rows/row-graphs.ts';
import { rowGradients } from './row-gradients.ts';
import { floats, runRows, type RowGroup, type StudentRow } from './rows/row-runs.ts';

export interface PromptStates {
  /** States of prompts [R · D]. Errors: `data` if a prompt has too many tokens. */
  states(prompts: readonly Prompt[]): Promise<Float32Array>;
  /** Gradients of the policy's own parameters for a loss with these slopes ∂loss/∂state [R · D]. Errors: as `states`. */
  stateGradients(
    prompts: readonly Prompt[],
    slopes: Float32Array,
  ): Promise<ReadonlyMap<string, Float32Array>>;
}

/** For the policy of an engine with these parameters. The adapter's training dropout is off: a value is one of the whole policy. */
export function promptStates(engine: Engine, parameters: PolicyParameters): PromptStates {
  const { sessions, layout, backbone, adapters } = engine;
  const width = backbone.files.config.llama.hiddenSize;
  return {
    states: async (prompts) => {
      const found = new Float32Array(prompts.length * width);
      const session = await sessions.open('states', (model) => stateNetwork(model, { slopes: false }));
      const adapted = adapters.of(parameters.adapter());
      await runRows(layout, rowsOf(engine, prompts), {
        visual: parameters.visual,
        session,
        feeds: ({ positions }) => ({ ...adapted, ...adapters.dropout(positions, null) }),
        take: (group, results) => {
          const states = floats(results, 'states');
          placesOf(group).forEach((place, label) =>
            found.set(states.subarray(label * width, (label + 1) * width), place * width),
          );
        },
      });
      return found;
    },
    stateGradients: async (prompts, slopes) => {
      const session = await sessions.open('state slopes', (model) => stateNetwork(model, { slopes: true }));
      return rowGradients(engine, parameters, {
        rows: rowsOf(engine, prompts),
        session,
        dropout: null,
        feeds: (group) => {
          const places = placesOf(group);
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
function rowsOf(engine: Engine, prompts: readonly Prompt[]): StudentRow[] {
  const { tokens } = engine;
  return prompts.map((prompt) => {
    const { images, pictures, text } = readPrompt(prompt, engine);
    return { images, tokens: tokens.row({ pictures, text, answers: [[tokens.endToken]] }) };
  });
}

/** For each label of a run the index of its prompt. */
function placesOf({ members, owners }: RowGroup): number[] {
  return owners.map(({ row }) => members[row]!);
}
