/**
 * The few operations that a preference loss needs, so that each loss is written once and carried by plain
 * numbers, tfjs tensors or the nodes of a graph. All are element by element; shapes of operands are equal.
 */
export interface Arithmetic<T> {
  add(a: T, b: T): T;
  subtract(a: T, b: T): T;
  multiply(a: T, b: T): T;
  /** every element times a fixed number */
  scale(a: T, factor: number): T;
  /** every element plus a fixed number */
  shift(a: T, offset: number): T;
  /** log σ(a) = −log(1 + e⁻ᵃ) */
  logSigmoid(a: T): T;
  /** max(a, 0) */
  relu(a: T): T;
}
