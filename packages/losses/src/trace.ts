/**
 * A loss as a program: its formula is run once over an arithmetic that writes down what is asked of it. What is the
 * same for two losses (`form`) can be computed by one graph, which is fed the numbers in which they differ.
 */
import type { Arithmetic, Loss } from '@emac/core';

export interface LossTrace {
  /** the program without its numbers; equal forms are one program */
  readonly form: string;
  /** numbers of `scale` and `shift`, in the order of the calls */
  readonly constants: readonly number[];
  /** constants that the formula asks the rows for, in the order of asking */
  readonly names: readonly string[];
}

/** What was done, to the results of which earlier steps. */
type Step = readonly [operation: string, ...operands: (number | string)[]];

/**
 * The program of a loss. `form` is JSON, `{ over, steps, result }`: a step is `["token"]`, `["answer", which]`,
 * `["constant", name]`, or an operation of the arithmetic with places of earlier steps as operands, where `scale` and
 * `shift` take the next of `constants`; `result` is the place of the formula's value.
 */
export function traceLoss(loss: Loss): LossTrace {
  const steps: Step[] = [];
  const constants: number[] = [];
  const asked = new Map<string, number>();
  const place = (...step: Step): number => steps.push(step) - 1;
  const constant = (name: string): number => {
    const found = asked.get(name) ?? place('constant', name);
    asked.set(name, found);
    return found;
  };
  const arithmetic = recording(place, constants);
  const result =
    loss.over === 'tokens'
      ? loss.formula(arithmetic, { logProbability: place('token'), constant })
      : loss.formula(arithmetic, { logProbabilities: answersOf(loss.answers, place), constant });
  return { form: JSON.stringify({ over: loss.over, steps, result }), constants, names: [...asked.keys()] };
}

type Place = (...step: Step) => number;

function answersOf(count: number, place: Place): number[] {
  return Array.from({ length: count }, (_, answer) => place('answer', answer));
}

/** Values are places of steps. */
function recording(place: Place, constants: number[]): Arithmetic<number> {
  const withNumber = (operation: string) => (operand: number, number: number) => {
    constants.push(number);
    return place(operation, operand);
  };
  return {
    add: (a, b) => place('add', a, b),
    subtract: (a, b) => place('subtract', a, b),
    multiply: (a, b) => place('multiply', a, b),
    scale: withNumber('scale'),
    shift: withNumber('shift'),
    logSigmoid: (a) => place('logSigmoid', a),
    relu: (a) => place('relu', a),
  };
}
