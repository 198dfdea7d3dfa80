/**
 * EMMA: a frozen eye and a frozen language model with a trainable projection between them (arXiv 2311.16714).
 * The gradient crosses two engines: tfjs maps Q-Former outputs to visual tokens V, one graph run gives the loss and
 * ∂loss/∂V through the frozen language model, tfjs carries ∂loss/∂V into the projection's parameters.
 */
import {
  loadBackbone,
  modelIdentity,
  type Activations,
  type Checkpoint,
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
import { imitationNetwork, logProbabilityNetwork, preferenceNetwork } from './row-graphs.ts';
import { residentNetworks, streamedNetworks } from './row-networks.ts';
import { floats, runRows, visualGradients, type RowLayout, type StudentRow } from './row-runs.ts';
import { tokenRows, type TokenRows } from './token-rows.ts';
import { visualTokens } from './visual-tokens.ts';

export interface StudentOptions {
  /** a model's path, or an open one */
  readonly model: string | Checkpoint;
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
  const { checkpoint } = backbone;
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
  const layout: RowLayout = {
    visual,
    queries: checkpoint.config.queryTokens,
    pad: tokens.endToken,
    positionsPerRun: options.positionsPerRun ?? 4096,
  };
  const parts: Parts = { sessions, tokens, layout };
  return {
    modelIdentity: identity,
    features: featuresCache({
      identity,
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
}

type TargetRow = { readonly features: Features; readonly text: string; readonly target: string };

function withTarget({ tokens }: Parts, rows: readonly TargetRow[]): StudentRow[] {
  return rows.map(({ features, text, target }) => ({ features, tokens: tokens.row(text, [target]) }));
}

async function logProbabilities(parts: Parts, rows: readonly TargetRow[]): Promise<SequenceLogProbability[]> {
  const { sessions, layout } = parts;
  const studentRows = withTarget(parts, rows);
  const session = await sessions.open('log-probabilities', logProbabilityNetwork);
  const sums = new Float64Array(rows.length);
  await runRows(layout, studentRows, {
    session,
    take: ({ members, owners }, results) => {
      const values = floats(results, 'log_probabilities');
      owners.forEach(({ row }, label) => (sums[members[row]!]! += values[label]!));
    },
  });
  return studentRows.map(({ tokens }, row) => ({ sum: sums[row]!, tokens: tokens.responses[0]!.length }));
}

async function imitationGradient(parts: Parts, rows: readonly ImitationRow[]): Promise<ImitationGradient> {
  const { sessions, layout } = parts;
  const studentRows = withTarget(parts, rows);
  const session = await sessions.open('imitation', imitationNetwork);
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
  { beta, mixRatio }: PreferenceOptions,
): Promise<PreferenceGradient> {
  const { sessions, tokens, layout } = parts;
  const studentRows = rows.map(({ features, text, chosen, rejected }) => ({
    features,
    tokens: tokens.row(text, [chosen, rejected]),
  }));
  const name = `preference with β ${beta} and mix ratio ${mixRatio}`;
  const session = await sessions.open(name, (model) => preferenceNetwork(model, { beta, mixRatio }));
  const [chosen, rejected] = [new Float32Array(rows.length), new Float32Array(rows.length)];
  let loss = 0;
  const gradient = await visualGradients(layout, studentRows, {
    session,
    feeds: (group) =>
      preferenceFeeds(
        group.members.map((index) => rows[index]!),
        group,
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

function featuresOf(rows: readonly { readonly features: Features }[]): Features[] {
  return rows.map(({ features }) => features);
}
