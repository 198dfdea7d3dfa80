export { cnn, mlp } from './architecture.ts';
export type { Architecture, CnnOptions, MlpOptions } from './architecture.ts';
export { onnx, onnxReads } from './onnx.ts';
export type { OnnxOptions } from './onnx.ts';
export type { ArrayInput } from '@emac/core';
export type { Activation, Layer } from './layers.ts';
export { createSmallNetwork } from './small-network.ts';
export type { SmallNetwork, SmallNetworkOptions } from './small-network.ts';
