/**
 * A loss as a program: its formula runs once over an arithmetic that records all operations. Losses with the same
 * `form` share one graph, which is fed their numbers.
 */
import type { Arithmetic, Loss, ValueLoss } from '@emac/core';

export interface LossTrace {
  /** the program without its numbers; equal forms are one program */
  readonly form: string;
  /** numbers of `scale` and `shift`, in call order */
  readonly constants: readonly number[];
  /** constants that the formula reads from the rows, in reading order */
  readonly names: readonly string[];
  /** whether the formula reads entropies */
  readonly readsEntropy: boolean;
}

/** An operation and its operands: indices of earlier steps. */
type Step = readonly [operation: string, ...operands: (number | string)[]];

/**
 * The program of a loss. `form` is JSON, `{ over, steps, result }`. A step is `["token"]`, `["answer", index]`, `["value"]`, `["entropy"]`, `["entropy",
 * index]`, `["constant", name]`, or an operation of the arithmetic with indices of earlier steps as operands, where `scale` and `shift` take the next of
 * `constants`. `result` is the index of the formula's value.
 */
export function traceLoss(loss: Loss | ValueLoss): LossTrace {
  const steps: Step[] = [];
  const constants: number[] = [];
  const asked = new Map<string, number>();
  const place = (...step: Step): number => steps.push(step) - 1;
  const constant = (name: string): number => {
    const found = asked.get(name) ?? place('constant', name);
    asked.set(name, found);
    return found;
  };
  let readsEntropy = false;
  const entropy = (...which: number[]): number => {
    readsEntropy = true;
    return place('entropy', ...which);
  };
  const result = ran(loss, { arithmetic: recording(place, constants), place, constant, entropy });
  const form = JSON.stringify({ over: loss.over, steps, result });
  return { form, constants, names: [...asked.keys()], readsEntropy };
}

interface Writing {
  readonly arithmetic: Arithmetic<number>;
  readonly place: Place;
  readonly constant: (name: string) => number;
  readonly entropy: (...which: number[]) => number;
}

/** Runs the formula; entropies are recorded when read. */
function ran(loss: Loss | ValueLoss, { arithmetic, place, constant, entropy }: Writing): number {
  switch (loss.over) {
    case 'tokens':
      return loss.formula(arithmetic, {
        logProbability: place('token'),
        get entropy() {
          return entropy();
        },
        constant,
      });
    case 'answers':
      return loss.formula(arithmetic, {
        logProbabilities: answersOf(loss.answers, (answer) => place('answer', answer)),
        get entropies() {
          return answersOf(loss.answers, entropy);
        },
        constant,
      });
    case 'values':
      return loss.formula(arithmetic, { value: place('value'), constant });
  }
}

type Place = (...step: Step) => number;

function answersOf(count: number, placeOf: (answer: number) => number): number[] {
  return Array.from({ length: count }, (_, answer) => placeOf(answer));
}

/** Values are indices of steps. */
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
    exp: (a) => place('exp', a),
    logSigmoid: (a) => place('logSigmoid', a),
    logComplement: (a) => place('logComplement', a),
    relu: (a) => place('relu', a),
  };
}
