export { importOnnx } from './import-onnx.ts';
export type { ImportedGraph, ImportOptions, OnnxNetwork, Signature } from './import-onnx.ts';
