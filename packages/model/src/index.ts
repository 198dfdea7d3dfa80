export { createProjection, projectionShapes } from './projection.ts';
export type {
  Parameter,
  Projection,
  ProjectionKind,
  ProjectionOptions,
  ProjectionShape,
} from './projection.ts';
export { createStudent } from './student.ts';
export type { Savings } from './savings.ts';
export type { StudentOptions } from './student.ts';
export { maxTextTokens } from './generation.ts';
export type { GenerationSettings } from './generation.ts';
export { loadTensorflow } from './tensorflow.ts';
export type { LoadedTensorflow, Tensorflow, TensorflowBackend } from './tensorflow.ts';
