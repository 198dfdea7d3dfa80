/**
 * The arithmetic on tfjs tensors. The tfjs module is passed in, so this package depends on no tfjs build and the
 * caller's backend is used.
 */
import type { Arithmetic } from '@emac/core';

/** The part of the tfjs module that losses use. */
export interface TensorFunctions<T> {
  add(a: T, b: T | number): T;
  sub(a: T, b: T): T;
  mul(a: T, b: T | number): T;
  neg(a: T): T;
  exp(a: T): T;
  expm1(a: T): T;
  log(a: T): T;
  softplus(a: T): T;
  relu(a: T): T;
}

/** An arithmetic on tensors of `tf`; call losses inside `tf.tidy`. */
export function tensors<T>(tf: TensorFunctions<T>): Arithmetic<T> {
  return {
    add: (a, b) => tf.add(a, b),
    subtract: (a, b) => tf.sub(a, b),
    multiply: (a, b) => tf.mul(a, b),
    scale: (a, factor) => tf.mul(a, factor),
    shift: (a, offset) => tf.add(a, offset),
    exp: (a) => tf.exp(a),
    // tf.logSigmoid's own gradient reads its input after tfjs has disposed of it
    logSigmoid: (a) => tf.neg(tf.softplus(tf.neg(a))),
    logComplement: (a) => tf.log(tf.neg(tf.expm1(a))),
    relu: (a) => tf.relu(a),
  };
}
