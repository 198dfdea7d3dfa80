/**
 * What a family of models is: how its files are read (sizes, names of tensors), its eye (a frame to the rows that the
 * connector reads), its connector, and how its prompts are written. The connector is what training changes: tensors
 * `language_projection.*`, one layer or two with a GELU between them. A new family is one file, an entry in
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
import type { PromptForm, ShownPicture } from './prompt-form.ts';

/** What a family reads of an opened model. */
export interface FamilyFiles<Config extends ModelConfig = ModelConfig> {
  /** what was opened: a folder, or the JSON file of a composed model */
  readonly folder: string;
  readonly config: Config;
  readonly companions: Companions;
  /** pixels that the eye is shown of a picture, at most; absent: as the image processor's file says */
  readonly maxPixels?: number;
  /** the tensors as float32 values of a graph, in place from the files; errors: `data` for an unknown name */
  weights(graph: Graph): Weights;
}

export interface Family<Config extends ModelConfig = ModelConfig> {
  /** `model_type` of `config.json` */
  readonly name: string;
  /** with its article, for messages */
  readonly title: string;
  /** whether a picture has the more visual tokens the more pixels it has, so that `maxPixels` means something */
  readonly limitsPixels: boolean;
  /** Sizes. Errors: `config` naming the key. */
  config(object: JsonObject, place: string): Config;
  /** The name here of a tensor in the files; null where nothing reads it. */
  nameOf(stored: string): string | null;
  /** Where transformers keeps a module of the language model, as PEFT names it: `language_model.model.…` there. */
  moduleOf(name: string): string;
  /** Every tensor that the networks read, by the names here. */
  tensors(config: Config, options: { readonly text: boolean }): ReadonlyMap<string, ExpectedShape>;
  connector(config: Config): Connector;
  /** Errors: `config` where the folder's image processor is none of the family's. */
  eye(files: FamilyFiles<Config>): Eye;
  /** Errors: `data`, `missing` where tokenizer or chat template lack something. */
  prompts(files: FamilyFiles<Config>, tokenizer: TextTokenizer): PromptForm;
}

export interface Connector {
  /** width of what it reads, W */
  readonly inputWidth: number;
  /** numbers that the features of every picture have; null where pictures differ */
  readonly featureValues: number | null;
  /** What the eye saw in a picture, of its features as they are kept. Errors: `data` where they are of another model. */
  sight(features: Float32Array): Sight;
}

/** How many visual tokens a picture has, and in what grid. */
export function shownPicture({ rows, order, columns }: Sight, { inputWidth }: Connector): ShownPicture {
  return { tokens: order?.length ?? rows.length / inputWidth, ...(columns !== undefined && { columns }) };
}

/** Features as the connector reads them. */
export interface Sight {
  /** [R, W] */
  readonly rows: Float32Array;
  /** of each visual token the row that it is made of, −1 for the model's separator (`separator`); absent: row by row */
  readonly order?: Int32Array;
  /** columns of the visual tokens, where positions count rows and columns */
  readonly columns?: number;
}

export interface Eye {
  /** visual tokens of one picture, at most */
  readonly mostTokens: number;
  /** visual tokens of a frame of a size */
  tokens(frame: Pick<Frame, 'width' | 'height'>): number;
  /** from the feeds of a frame to its features */
  graph(): Graph;
  /** What the graph reads. Errors: `data` for a frame that cannot be shown. */
  feeds(frame: Frame): Feeds;
  /** features as they are kept and cached, of what the graph gave */
  features(outputs: Readonly<Record<string, Value>>, frame: Frame): Float32Array;
}

/** the tensor that stands between lines of visual tokens, [D] */
export const separator = 'image_newline';
