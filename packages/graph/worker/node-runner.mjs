// Sessions of ONNX Runtime's Node package in the thread that imports this.
import * as ort from 'onnxruntime-node';
import { createRunnerOf } from './runner.mjs';
import { createStoredValues } from './stored-values.mjs';

export const createRunner = () => createRunnerOf({ ort, stored: createStoredValues() });
