/** `features.json`: the features of a dataset as written by TensorFlow Datasets since version 4.4 (protobuf's JSON). */
import { EmacError } from '@emac/core';
import { z } from 'zod';
import type { Axis, Feature } from './feature.ts';

const module = 'tensorflow_datasets.core.features';

const classes = {
  dict: `${module}.features_dict.FeaturesDict`,
  dataset: `${module}.dataset_feature.Dataset`,
  sequence: `${module}.sequence_feature.Sequence`,
  tensor: `${module}.tensor_feature.Tensor`,
  scalar: `${module}.scalar.Scalar`,
  image: `${module}.image_feature.Image`,
  text: `${module}.text_feature.Text`,
} as const;

/** protobuf's JSON writes 64-bit numbers as texts; −1 is an axis of varying size. */
const axis = z
  .union([
    z.number(),
    z
      .string()
      .regex(/^-?\d+$/)
      .transform(Number),
  ])
  .pipe(z.number().int().min(-1))
  .transform((length): Axis => (length === -1 ? null : length));
const shape = z.object({ dimensions: z.array(axis).default([]) }).default({ dimensions: [] });
const dtypes = [
  'bool',
  'int8',
  'uint8',
  'int16',
  'uint16',
  'int32',
  'uint32',
  'int64',
  'uint64',
  'float32',
  'float64',
  'string',
] as const;

const dictSchema = z.object({
  featuresDict: z.object({ features: z.record(z.string(), z.unknown()).default({}) }),
});
const sequenceSchema = z.object({ sequence: z.object({ feature: z.unknown(), length: axis.default(null) }) });
const tensorSchema = z.object({
  tensor: z.object({
    shape,
    dtype: z.enum(dtypes),
    encoding: z.enum(['none', 'bytes', 'zlib']).default('none'),
  }),
});
const imageSchema = z.object({
  image: z.object({
    shape,
    dtype: z.enum(['uint8', 'uint16', 'float32']).default('uint8'),
    encodingFormat: z.enum(['png', 'jpeg', '']).default(''),
  }),
});
const labelSchema = z.object({ classLabel: z.looseObject({}) });
const nodeSchema = z.object({ pythonClassName: z.string() });

/** Reads features. Errors: `data` naming the feature and the rule; `place` starts the message. */
export function readFeatures(node: unknown, place: string): Feature {
  const { pythonClassName } = checked(nodeSchema, node, place);
  const name = pythonClassName.split('.').at(-1)!;
  const read = readers[name];
  if (read) return read(node, place);
  throw new EmacError(
    'data',
    `${place}: its class must be one of ${Object.keys(readers).join(', ')}, it is ${name}; write the dataset without it`,
  );
}

/** By the last part of the class name, which stays when modules move. */
const readers: Readonly<Record<string, (node: unknown, place: string) => Feature>> = {
  FeaturesDict(node, place) {
    const { features } = checked(dictSchema, node, place).featuresDict;
    const read = Object.entries(features).map(
      ([name, inner]) => [name, readFeatures(inner, `${place}: ${name}`)] as const,
    );
    return { kind: 'dict', features: Object.fromEntries(read) };
  },
  Dataset: (node, place) => ({
    kind: 'dataset',
    feature: readFeatures(checked(sequenceSchema, node, place).sequence.feature, place),
  }),
  Sequence(node, place) {
    const { feature, length } = checked(sequenceSchema, node, place).sequence;
    return { kind: 'sequence', feature: readFeatures(feature, place), length };
  },
  Tensor: tensor,
  Scalar: tensor,
  Image(node, place) {
    const { image } = checked(imageSchema, node, place);
    return {
      kind: 'image',
      shape: image.shape.dimensions,
      dtype: image.dtype,
      encoding: image.encodingFormat || null,
    };
  },
  Text: () => ({ kind: 'text' }),
  /** the number of a class; names are in a separate file, and are not read */
  ClassLabel(node, place) {
    checked(labelSchema, node, place);
    return { kind: 'tensor', shape: [], dtype: 'int64', encoding: 'none' };
  },
};

function tensor(node: unknown, place: string): Feature {
  const { shape, dtype, encoding } = checked(tensorSchema, node, place).tensor;
  return { kind: 'tensor', shape: shape.dimensions, dtype, encoding };
}

function checked<T>(schema: z.ZodType<T>, node: unknown, place: string): T {
  const parsed = schema.safeParse(node);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new EmacError(
    'data',
    `${place}: ${issue?.path.join('.') || 'feature'}: ${issue?.message}; it must be features.json of TensorFlow Datasets 4.4 or newer`,
  );
}

/** Features in the format of `features.json`; the inverse of `readFeatures`. */
export function featuresJson(feature: Feature): object {
  switch (feature.kind) {
    case 'dict': {
      const features = Object.entries(feature.features).map(([name, inner]) => [name, featuresJson(inner)]);
      return {
        pythonClassName: classes.dict,
        featuresDict: { features: Object.fromEntries(features) as unknown },
      };
    }
    case 'dataset':
      return {
        pythonClassName: classes.dataset,
        sequence: { feature: featuresJson(feature.feature), length: '-1' },
      };
    case 'sequence': {
      const { feature: inner, length } = feature;
      return {
        pythonClassName: classes.sequence,
        sequence: { feature: featuresJson(inner), length: axisText(length) },
      };
    }
    case 'tensor': {
      const { shape, dtype, encoding } = feature;
      const pythonClassName = shape.length === 0 && encoding === 'none' ? classes.scalar : classes.tensor;
      return { pythonClassName, tensor: { shape: shapeJson(shape), dtype, encoding } };
    }
    case 'image': {
      const { shape, dtype, encoding } = feature;
      return {
        pythonClassName: classes.image,
        image: { shape: shapeJson(shape), dtype, encodingFormat: encoding ?? '' },
      };
    }
    case 'text':
      return { pythonClassName: classes.text, text: {} };
  }
}

const axisText = (length: Axis) => String(length ?? -1);

const shapeJson = (shape: readonly Axis[]) => (shape.length === 0 ? {} : { dimensions: shape.map(axisText) });
