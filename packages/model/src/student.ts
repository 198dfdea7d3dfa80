/**
 * EMMA: a frozen eye and a frozen language model with a trainable projection between them (arXiv 2311.16714).
 * The gradient crosses two engines: tfjs maps Q-Former outputs to visual tokens V, one graph run gives the loss and
 * ∂loss/∂V through the frozen language model, tfjs carries ∂loss/∂V into the projection's parameters.
 */
import {
  loadBackbone,
  modelIdentity,
  type Activations,
  type ModelFiles,
  type LayerPlace,
} from '@emac/backbone';
import type {
  Features,
  ImitationGradient,
  ImitationRow,
  PreferenceGradient,
  PreferenceOptions,
  PreferenceRow,
  SequenceLogProbability,
  Student,
} from '@emac/core';
import type { Provider } from '@emac/graph';
import { featuresCache } from './features-cache.ts';
import { answer, checkGeneration, checkTextTokens, type GenerationSettings } from './generation.ts';
import { lazySessions, type LazySessions } from './lazy-sessions.ts';
import { preferenceFeeds } from './preference-feeds.ts';
import type { Projection } from './projection.ts';
import {
  imitationNetwork,
  logProbabilityNetwork,
  preferenceNetwork,
  type RowNetworkOptions,
} from './row-graphs.ts';
import { residentNetworks, streamedNetworks } from './row-networks.ts';
import { floats, runRows, visualGradients, type RowLayout, type StudentRow } from './row-runs.ts';
import { savingsOf, type Savings } from './savings.ts';
import { tokenRows, type TokenRows } from './token-rows.ts';
import { visualTokens } from './visual-tokens.ts';

export interface StudentOptions {
  /** a model's path, or an open one */
  readonly model: string | ModelFiles;
  /** disposed with the student */
  readonly projection: Projection;
  readonly generation: GenerationSettings;
  /** tokens to which the caller's prompts are kept, where they are to fit the model (`maxTextTokens`) */
  readonly maxTextTokens?: number;
  /** default `cpu` */
  readonly provider?: Provider;
  /** threads inside one run; default: all cores */
  readonly threads?: number;
  /** start of the paths of files that say what each node took, and where (`SessionOptions`) */
  readonly profile?: string;
  /** where the language model's layers are; default: streamed where they are large (`layerPlace`) */
  readonly layers?: LayerPlace;
  /** what the backward pass through streamed layers has of the forward pass; default `kept` */
  readonly activations?: Activations;
  /** positions (visual and text tokens, padding included) computed at once; bounds memory; default 4096 */
  readonly positionsPerRun?: number;
  /** `modelIdentity` of the folder, where the caller has computed it: hashing large weights takes time */
  readonly identity?: string;
  /** default: all */
  readonly savings?: Partial<Savings> | 'none';
}

/**
 * Opens a student. Errors: those of the model folder; `data` when the projection does not fit it or its tokenizer
 * names no begin or end token, or when `maxTextTokens` leaves no room for an answer; `usage` for generation settings that are none.
 */
export async function createStudent(options: StudentOptions): Promise<Student> {
  const { model, projection, generation, provider = 'cpu', threads, profile } = options;
  checkGeneration(generation);
  const sessionOptions = { provider, ...(threads ? { threads } : {}), ...(profile ? { profile } : {}) };
  const backbone = loadBackbone(model, {
    ...sessionOptions,
    ...(options.layers && { layers: options.layers }),
  });
  const { files: checkpoint } = backbone;
  if (options.maxTextTokens !== undefined)
    checkTextTokens(options.maxTextTokens, checkpoint.config, generation);
  const tokens = tokenRows({
    checkpoint,
    tokenizer: backbone.tokenizer(),
    maxTargetTokens: generation.maxLength,
  });
  const visual = visualTokens(checkpoint, projection);
  const identity = options.identity ?? (await modelIdentity(model));
  const networks =
    backbone.layers === 'resident'
      ? residentNetworks(checkpoint, sessionOptions)
      : streamedNetworks(checkpoint, { ...sessionOptions, activations: options.activations ?? 'kept' });
  const sessions = lazySessions(networks);
  const { features, labelLogits, sharedPrompts, groupedByLength } = savingsOf(options.savings);
  const layout: RowLayout = {
    visual,
    queries: checkpoint.config.queryTokens,
    pad: tokens.endToken,
    positionsPerRun: options.positionsPerRun ?? 4096,
    sharedPrompts,
    groupedByLength,
  };
  const parts: Parts = { sessions, tokens, layout, network: { allLogits: !labelLogits } };
  return {
    modelIdentity: identity,
    features: featuresCache({
      identity,
      ...(features ? {} : { limit: 0 }),
      compute: async (frame) => backbone.features(backbone.imageProcessor.process(frame)),
    }),
    act: async (text, features, allowed) =>
      answer({ backbone, tokens, visual, generation }, { text, features, ...(allowed && { allowed }) }),
    countTargetTokens: tokens.countTarget,
    countTextTokens: (text) => tokens.prompt(text).length,
    logProbabilities: (rows) => logProbabilities(parts, rows),
    imitationGradient: (rows) => imitationGradient(parts, rows),
    preferenceGradient: (rows, settings) => preferenceGradient(parts, rows, settings),
    parameters: () => projection.parameters,
    commit: () => projection.commit(),
    dispose: async () => {
      await Promise.all([sessions.dispose(), backbone.dispose()]);
      projection.dispose();
    },
  };
}

interface Parts {
  readonly sessions: LazySessions;
  readonly tokens: TokenRows;
  readonly layout: RowLayout;
  readonly network: RowNetworkOptions;
}

type TargetRow = { readonly features: Features; readonly text: string; readonly target: string };

function withTarget({ tokens }: Parts, rows: readonly TargetRow[]): StudentRow[] {
  return rows.map(({ features, text, target }) => ({ features, tokens: tokens.row(text, [target]) }));
}

/** Rows with the same prompt are one row with several targets. */
async function logProbabilities(parts: Parts, rows: readonly TargetRow[]): Promise<SequenceLogProbability[]> {
  const { sessions, layout, network, tokens } = parts;
  const prompts = samePrompts(rows);
  const studentRows = prompts.map((places): StudentRow => {
    const { features, text } = rows[places[0]!]!;
    return {
      features,
      tokens: tokens.row(
        text,
        places.map((place) => rows[place]!.target),
      ),
    };
  });
  const session = await sessions.open('log-probabilities', (model) => logProbabilityNetwork(model, network));
  const found = rows.map(() => ({ sum: 0, tokens: 0 }));
  await runRows(layout, studentRows, {
    session,
    take: ({ members, owners }, results) => {
      const values = floats(results, 'log_probabilities');
      owners.forEach(({ row, response }, label) => {
        const place = prompts[members[row]!]![response]!;
        found[place]!.sum += values[label]!;
        found[place]!.tokens++;
      });
    },
  });
  return found;
}

/** Places of rows by what stands before their targets. */
function samePrompts(rows: readonly TargetRow[]): number[][] {
  const places = new Map<string, number[]>();
  rows.forEach(({ features, text }, place) => {
    const key = `${features.key}\n${text}`;
    const found = places.get(key);
    if (found) found.push(place);
    else places.set(key, [place]);
  });
  return [...places.values()];
}

async function imitationGradient(parts: Parts, rows: readonly ImitationRow[]): Promise<ImitationGradient> {
  const { sessions, layout, network } = parts;
  const studentRows = withTarget(parts, rows);
  const session = await sessions.open('imitation', (model) => imitationNetwork(model, network));
  let loss = 0;
  const gradient = await visualGradients(layout, studentRows, {
    session,
    feeds: ({ members, owners }) => {
      const data = Float32Array.from(owners, ({ row }) => rows[members[row]!]!.weight);
      return { label_weights: { type: 'float32', shape: [data.length], data } };
    },
    take: (_, results) => (loss += floats(results, 'loss')[0]!),
  });
  return { loss, gradients: layout.visual.backward(featuresOf(rows), gradient) };
}

async function preferenceGradient(
  parts: Parts,
  rows: readonly PreferenceRow[],
  options: PreferenceOptions,
): Promise<PreferenceGradient> {
  const { sessions, tokens, layout, network } = parts;
  const studentRows = rows.map(({ features, text, chosen, rejected }) => ({
    features,
    tokens: tokens.row(text, [chosen, rejected]),
  }));
  const { averageLogProbabilities = true } = options;
  const session = await sessions.open(lossName(options), (model) =>
    preferenceNetwork(model, { ...options, ...network }),
  );
  const [chosen, rejected] = [new Float32Array(rows.length), new Float32Array(rows.length)];
  let loss = 0;
  const gradient = await visualGradients(layout, studentRows, {
    session,
    feeds: (group) =>
      preferenceFeeds(
        group.members.map((index) => rows[index]!),
        group,
        averageLogProbabilities,
      ),
    take: ({ members }, results) => {
      loss += floats(results, 'loss')[0]!;
      members.forEach((index, row) => {
        chosen[index] = floats(results, 'chosen')[row]!;
        rejected[index] = floats(results, 'rejected')[row]!;
      });
    },
  });
  return { loss, chosen, rejected, gradients: layout.visual.backward(featuresOf(rows), gradient) };
}

/** Losses of one name are one graph. */
function lossName({ loss, beta, mixRatio, labelSmoothing, referenceFree }: PreferenceOptions): string {
  return `preference ${JSON.stringify([loss, beta, mixRatio, labelSmoothing, referenceFree])}`;
}

function featuresOf(rows: readonly { readonly features: Features }[]): Features[] {
  return rows.map(({ features }) => features);
}
