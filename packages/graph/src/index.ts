export { Graph } from './graph.ts';
export type { Attribute, ConstantData, ExternalData, Node, Tensor } from './graph.ts';
export { gradients } from './gradients.ts';
export { nodesWithInputs } from './loss-arithmetic.ts';
export * as op from './op/index.ts';
export { coversExactly } from './op/pooling.ts';
export type { Geometry } from './op/convolution.ts';
export {
  addDimensions,
  divideDimensions,
  exactQuotient,
  multiplyDimensions,
  sameDimension,
  subtractDimensions,
} from './dimension.ts';
export { broadcastShape, normalizeAxis, productOf, shapeText } from './shape.ts';
export { encodeModel } from './onnx.ts';
export { ModelProto } from './onnx-schema.ts';
export { int8Products } from './int8-products.ts';
export { gradientSegments, segment, weightProducts } from './segment.ts';
export type { Boundary, Differentiated, GradientSegments } from './segment.ts';
export { areThreadsApart } from '#session-thread';
export { providerFault } from './provider-fault.ts';
export { createSession, createSessions, providerIsAvailable } from './session.ts';
export type { KeepingRun, Session, SessionOptions, StoredValue } from './session.ts';
export { keepSessions } from './kept-sessions.ts';
export { nodesOnCpu, type RunNode } from './profile.ts';
export { cpuNodes, type CpuNodes } from './webgpu-placement.ts';
export type { Provider } from './session-provider.ts';
export type { Feeds, KeptValue, TensorData, Value } from './session-value.ts';
export type { DataType, Dimension, Shape } from './shape.ts';
