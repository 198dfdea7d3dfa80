/**
 * A family of models: how its files are read (sizes, names of tensors), how it sees, and how its prompts are written.
 * Training changes an adapter of the language model and, in a family that sees, the connector: tensors
 * `language_projection.*`, up to three layers with a GELU between two. A new family is one file, an entry in
 * `families.ts`, and a comparison folder.
 */
import type { Frame } from '@emac/core';
import type { Feeds, Graph, Value } from '@emac/graph';

import type { Companions } from '../files/companions.ts';
import type { ExpectedShape } from '../files/expected-tensors.ts';
import type { JsonObject } from '../files/json-object.ts';
import type { ModelConfig } from '../files/model-config.ts';
import type { TextTokenizer } from '../files/tokenizer.ts';
import type { Weights } from '../networks/weights.ts';
import type { PromptForm, ShownPicture } from './prompts/prompt-form.ts';

/** The parts of an open model that a family reads. */
export interface FamilyFiles<Config extends ModelConfig = ModelConfig> {
  /** the opened path: a folder, or the JSON file of a composed model */
  readonly folder: string;
  readonly config: Config;
  readonly companions: Companions;
  /** most pixels of a picture shown to the vision encoder; absent: as the image processor's file says */
  readonly maxPixels?: number;
  /** the tensors as float32 values of a graph, read in place from the files; errors: `data` for an unknown name */
  weights(graph: Graph): Weights;
}

export interface Family<Config extends ModelConfig = ModelConfig> {
  /** `model_type` of `config.json` */
  readonly name: string;
  /** with its article, for messages */
  readonly title: string;
  /** Sizes. Errors: `config` naming the key. */
  config(object: JsonObject, place: string): Config;
  /** Our name for a tensor in the files; null if nothing reads it. */
  nameOf(stored: string): string | null;
  /** Where transformers keeps a module of the language model, as PEFT names it; our name is `language_model.model.…`. */
  moduleOf(name: string): string;
  /** Every tensor that the networks read, by our names. */
  tensors(config: Config, options: { readonly text: boolean }): ReadonlyMap<string, ExpectedShape>;
  /** vision encoder and connector; null for a family that reads text alone */
  readonly vision: Vision<Config> | null;
  /** Errors: `data`, `missing` if tokenizer or chat template are incomplete. */
  prompts(files: FamilyFiles<Config>, tokenizer: TextTokenizer): PromptForm;
}

/** How a family sees: frames to the connector's input rows, and these to visual tokens. */
export interface Vision<Config extends ModelConfig = ModelConfig> {
  /** whether larger pictures have more visual tokens, so that `maxPixels` has an effect */
  readonly limitsPixels: boolean;
  connector(files: FamilyFiles<Config>): Connector;
  /** Errors: `config` if the folder's image processor is not the family's. */
  eye(files: FamilyFiles<Config>): Eye;
}

export interface Connector {
  /** W, width of its input rows */
  readonly inputWidth: number;
  /** numbers in the features of every picture; null if pictures differ */
  readonly featureValues: number | null;
  /** tensor [D] or [rows, D] whose rows stand among visual tokens as they are; absent: none do */
  readonly fixed?: string;
  /** What the connector reads of a picture, from its stored features. Errors: `data` for features of another model. */
  sight(features: Float32Array): Sight;
}

/** The number of a picture's visual tokens, and their grid. */
export function shownPicture({ rows, order, columns }: Sight, { inputWidth }: Connector): ShownPicture {
  return { tokens: order?.length ?? rows.length / inputWidth, ...(columns !== undefined && { columns }) };
}

/** Features as the connector reads them. */
export interface Sight {
  /** [R, W] */
  readonly rows: Float32Array;
  /** for each visual token its row, −1 − k for row k of the connector's fixed tensor; absent: row by row */
  readonly order?: Int32Array;
  /** columns of the visual tokens, where positions count rows and columns */
  readonly columns?: number;
  /** of each visual token its features for the language model's first layers (`deepInputs`); absent: none */
  readonly deep?: Float32Array;
}

export interface Eye {
  /** most visual tokens of one picture */
  readonly mostTokens: number;
  /** visual tokens of a frame of this size */
  tokens(frame: Pick<Frame, 'width' | 'height'>): number;
  /** computes the features from the feeds of a frame */
  graph(): Graph;
  /** The graph's inputs. Errors: `data` for a frame that cannot be encoded. */
  feeds(frame: Frame): Feeds;
  /** features as they are stored and cached, from the graph's outputs */
  features(outputs: Readonly<Record<string, Value>>, frame: Frame): Float32Array;
}
