/** Log-probabilities and entropies of answers, token by token, without gradients. */
import type { NetworkModel } from '@emac/backbone';
import type { ScoredRow, TokenScores } from '@emac/core';
import type { Engine } from './engine.ts';
import { readPrompt } from './read-prompt.ts';
import type { PolicyParameters } from './rows/policy-parameters.ts';
import {
  distributionNetwork,
  logProbabilityNetwork,
  networkName,
  type RowNetwork,
  type RowNetworkOptions,
} from './rows/row-graphs.ts';
import { alike, demandsOf, floats, runRows, temperaturesOf, type StudentRow } from './rows/row-runs.ts';

/** Log-probabilities. Errors: as `Scorer`'s. */
export async function score(
  engine: Engine,
  parameters: PolicyParameters,
  rows: readonly ScoredRow[],
): Promise<Float32Array[][]> {
  const network = { name: 'log-probabilities', build: logProbabilityNetwork };
  const found = await read(engine, parameters, { rows, network, outputs: ['log_probabilities'] });
  return found.map((answers) => answers.map(([logProbabilities]) => logProbabilities!));
}

/** Log-probabilities and entropies. Errors: as `Scorer`'s. */
export async function scoreWithEntropy(
  engine: Engine,
  parameters: PolicyParameters,
  rows: readonly ScoredRow[],
): Promise<TokenScores[][]> {
  const network = { name: 'distributions', build: distributionNetwork };
  const found = await read(engine, parameters, {
    rows,
    network,
    outputs: ['log_probabilities', 'entropies'],
  });
  return found.map((answers) =>
    answers.map(([logProbabilities, entropies]) => ({
      logProbabilities: logProbabilities!,
      entropies: entropies!,
    })),
  );
}

/**
 * Splits the answers to one prompt into rows of limited length: each answer's positions start after the prompt, but a
 * network's tables of positions are no longer than the model's.
 */
function withinLength(places: readonly number[], { tokens }: StudentRow, longest: number): number[][] {
  const { visual, prompt, responses } = tokens;
  const free = longest - visual - prompt.length;
  const parts: number[][] = [];
  let left = 0;
  places.forEach((place, which) => {
    const { length } = responses[which]!;
    if (parts.length === 0 || length > left) {
      parts.push([]);
      left = free;
    }
    parts.at(-1)!.push(place);
    left -= length;
  });
  return parts;
}

interface Reading {
  readonly rows: readonly ScoredRow[];
  readonly network: {
    readonly name: string;
    readonly build: (model: NetworkModel, options: RowNetworkOptions) => RowNetwork;
  };
  /** each [L] */
  readonly outputs: readonly string[];
}

/** The outputs at each token of every answer, row by row. Rows with the same prompt are one row with all their answers. */
async function read(
  engine: Engine,
  { visual, adapter }: PolicyParameters,
  { rows, network, outputs }: Reading,
): Promise<Float32Array[][][]> {
  const { tokens, sessions, layout, adapters } = engine;
  const adapted = adapters.of(adapter());
  const answers = rows.flatMap((row) => {
    const read = readPrompt(row.prompt, engine);
    const temperatures = temperaturesOf(row);
    return row.answers.map((answer, place) => ({
      ...read,
      answer,
      temperature: temperatures[place]!,
      possible: row.possible?.[place] ?? null,
      scored: row.scored?.[place] ?? null,
    }));
  });
  const rowOf = (places: readonly number[]): StudentRow => {
    const { images, pictures, text } = answers[places[0]!]!;
    const scored = places.map((place) => answers[place]!.scored);
    const texts = {
      pictures,
      text,
      answers: places.map((place) => answers[place]!.answer),
      ...(scored.some((each) => each) && { scored }),
    };
    const temperatures = places.map((place) => answers[place]!.temperature);
    const possible = places.map((place) => answers[place]!.possible);
    return { images, tokens: tokens.row(texts), temperatures, possible };
  };
  const { maxPositions } = engine.backbone.files.config.llama;
  const prompts = alike(answers, ({ images, text }) =>
    JSON.stringify([images.map(({ key }) => key), text]),
  ).flatMap((places) => withinLength(places, rowOf(places), maxPositions));
  const merged = prompts.map(rowOf);
  const demands = demandsOf(merged);
  const session = await sessions.open(networkName(network.name, demands), (model) =>
    network.build(model, { ...engine.network, ...demands }),
  );
  const found = answers.map(() => outputs.map((): number[] => []));
  await runRows(layout, merged, {
    visual,
    session,
    feeds: ({ positions }) => ({ ...adapted, ...adapters.dropout(positions, null) }),
    take: ({ members, owners }, results) => {
      const values = outputs.map((output) => floats(results, output));
      owners.forEach(({ row, response }, label) =>
        found[prompts[members[row]!]![response]!]!.forEach((list, output) =>
          list.push(values[output]![label]!),
        ),
      );
    },
  });
  let next = 0;
  return rows.map((row) => row.answers.map(() => found[next++]!.map((list) => Float32Array.from(list))));
}
