export { Graph } from './graph.ts';
export type { ConstantData, ExternalData, Node } from './graph.ts';
export { gradients } from './gradients.ts';
export * as op from './op/index.ts';
export { encodeModel } from './onnx.ts';
export { createSession } from './session.ts';
export type { Provider, Session, SessionOptions, TensorData, Value } from './session.ts';
export type { DataType, Dimension, Shape, Tensor } from './tensor.ts';
