/**
 * The language model's hidden state at the last position of a prompt, after its last norm: what a value head reads, and
 * where the gradient of a value enters the policy.
 */
import type { Prompt } from '@emac/core';
import type { Engine } from './engine.ts';
import type { PolicyParameters } from './policy-parameters.ts';
import { readPrompt } from './read-prompt.ts';
import { stateNetwork } from './row-graphs.ts';
import { rowGradients } from './row-gradients.ts';
import { floats, runRows, type RowGroup, type StudentRow } from './row-runs.ts';

export interface PromptStates {
  /** States of prompts [R · D]. Errors: `data` where a prompt has too many tokens. */
  states(prompts: readonly Prompt[]): Promise<Float32Array>;
  /** The gradients of the policy's own parameters, of a loss with these slopes ∂loss/∂state [R · D]. Errors: as `states`. */
  stateGradients(
    prompts: readonly Prompt[],
    slopes: Float32Array,
  ): Promise<ReadonlyMap<string, Float32Array>>;
}

/** Of the policy that an engine computes under these parameters. What an adapter drops in training stays: a value is one of the whole policy. */
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

/** The state before an answer's first token is the prompt's last; which token that is makes no difference. */
function rowsOf(engine: Engine, prompts: readonly Prompt[]): StudentRow[] {
  const { tokens } = engine;
  return prompts.map((prompt) => {
    const { images, pictures, text } = readPrompt(prompt, engine);
    return { images, tokens: tokens.row({ pictures, text, answers: [[tokens.endToken]] }) };
  });
}

/** Of each label of a run the place of its prompt among all. */
function placesOf({ members, owners }: RowGroup): number[] {
  return owners.map(({ row }) => members[row]!);
}
