/** The least temperature of sampled answers: logits divided by a lower one leave float32. 0 is another way to answer, not a temperature. */
export const leastTemperature = 1e-6;

/** Whether answers can be sampled and scored at it. */
export function isTemperature(value: number): boolean {
  return value >= leastTemperature && value < Infinity;
}
