/**
 * The frozen part of a student, opened once: networks with their sessions, tokenizer and cache of features. Any number
 * of policies compute with it, each with its own parameters.
 */
import {
  loadBackbone,
  modelIdentity,
  spokenForm,
  type Activations,
  type AdapterForm,
  type Backbone,
  type ModelFiles,
  type LayerPlace,
} from '@emac/backbone';
import type { Dialogue, Features, Frame } from '@emac/core';
import type { Provider } from '@emac/graph';
import { adapterInputsOf, type AdapterInputs } from './adapter-inputs.ts';
import { featuresCache } from './features-cache.ts';
import { checkGeneration, checkTextTokens, type GenerationSettings } from './generation-settings.ts';
import { lazySessions, type LazySessions } from './rows/lazy-sessions.ts';
import { projectionAlone, type Trains } from './rows/policy-parameters.ts';
import type { RowNetworkOptions } from './rows/row-graphs.ts';
import { residentNetworks, streamedNetworks } from './rows/row-networks.ts';
import type { RowLayout } from './rows/row-runs.ts';
import { savingsOf, type Savings } from './savings.ts';
import { tokenRows, type TokenRows } from './rows/token-rows.ts';

export interface EngineOptions {
  /** a model's path, or an open one */
  readonly model: string | ModelFiles;
  readonly generation: GenerationSettings;
  /** the caller keeps prompts to this many tokens; checked to fit the model with one image (`maxTextTokens`) */
  readonly maxTextTokens?: number;
  /** default `message` */
  readonly dialogue?: Dialogue | undefined;
  /** default `cpu` */
  readonly provider?: Provider;
  /** threads inside one run, or single-threaded runs side by side if a small model answers several prompts; default: all cores */
  readonly threads?: number;
  /** path prefix of profile files: each node's time and device (`SessionOptions`) */
  readonly profile?: string;
  /** where the language model's layers are; default: streamed if large (`layerPlace`) */
  readonly layers?: LayerPlace;
  /** how the backward pass of streamed layers gets its activations; default `kept` */
  readonly activations?: Activations;
  /** positions (visual and text tokens, padding included) computed at once; bounds memory; default 4096 */
  readonly positionsPerRun?: number;
  /** `modelIdentity` of the folder, if the caller has computed it: hashing large weights takes time */
  readonly identity?: string;
  /** default: all but shared beginnings */
  readonly savings?: Partial<Savings> | 'none';
  /** bound of the memory of prompts while acting, in bytes (`BackboneOptions`); default 0. Savings `none` switch it off */
  readonly contextBytes?: number;
  /** bound of the features of pictures that are kept, in bytes; default 256 MiB. Savings `none` switch it off */
  readonly featureBytes?: number;
  /** adapters that policies may have; default none */
  readonly adapter?: AdapterForm | null;
  /** dropout in gradients, if the adapter form has it */
  readonly dropout?: { readonly rate: number; readonly seed: string };
  /** default: the projection only */
  readonly trains?: Trains;
}

export interface Engine {
  readonly modelIdentity: string;
  readonly backbone: Backbone;
  readonly tokens: TokenRows;
  /** one sentence if turns of a conversation do not add up, else null */
  readonly note: string | null;
  readonly generation: GenerationSettings;
  readonly sessions: LazySessions;
  readonly network: RowNetworkOptions;
  readonly layout: RowLayout;
  readonly adapters: AdapterInputs;
  readonly trains: Trains;
  /** features of a frame, from the cache if possible; null for a model that reads text alone */
  readonly encode: ((frame: Frame) => Promise<Features>) | null;
  dispose(): Promise<void>;
}

/**
 * Opens a model; no weight is read before a session needs it. Errors: those of the model folder; `data` if its
 * tokenizer names no begin or end token, or if `maxTextTokens` leaves no room for an answer; `usage` for invalid
 * generation settings, and for turns asked of a model without a chat template.
 */
export async function openEngine(options: EngineOptions): Promise<Engine> {
  const { model, generation, provider = 'cpu', threads, profile, layers, adapter = null } = options;
  checkGeneration(generation);
  const sessionOptions = { provider, ...(threads ? { threads } : {}), ...(profile ? { profile } : {}) };
  const contextBytes = options.savings === 'none' ? 0 : (options.contextBytes ?? 0);
  const backbone = loadBackbone(model, {
    ...sessionOptions,
    adapter,
    contextBytes,
    ...(layers && { layers }),
  });
  const { files } = backbone;
  const { maxTextTokens } = options;
  if (maxTextTokens !== undefined) checkTextTokens(maxTextTokens, backbone, generation);
  const { form, note } = spokenForm(backbone.prompts(), options.dialogue ?? 'message', files);
  const tokens = tokenRows({
    files,
    form,
    maxAnswerTokens: generation.maxLength,
  });
  const identity = options.identity ?? (await modelIdentity(model));
  const { features, labelLogits, ...shared } = savingsOf(options.savings);
  const { trains = projectionAlone, dropout = { rate: 0, seed: '0' } } = options;
  const sessions = lazySessions(
    backbone.layers === 'resident'
      ? residentNetworks({ ...files, adapter }, { ...sessionOptions, trains })
      : streamedNetworks(files, { ...sessionOptions, adapter, activations: options.activations ?? 'kept' }),
  );
  return {
    modelIdentity: identity,
    backbone,
    tokens,
    note,
    generation,
    sessions,
    adapters: adapterInputsOf({ llama: files.config.llama, form: adapter, dropout }),
    trains,
    network: { allLogits: !labelLogits },
    layout: {
      pad: tokens.endToken,
      vocabulary: files.vocabulary,
      within: files.config.llama.visualTokens === 'within',
      axes: files.config.llama.rotarySections?.length ?? 1,
      positionsPerRun: options.positionsPerRun ?? 4096,
      ...shared,
    },
    encode:
      backbone.connector &&
      featuresCache({
        identity,
        bytes: features ? (options.featureBytes ?? 2 ** 28) : 0,
        compute: (frame) => backbone.encode(frame),
      }),
    dispose: async () => {
      await Promise.all([sessions.dispose(), backbone.dispose()]);
    },
  };
}
