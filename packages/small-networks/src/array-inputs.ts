/** Turns the arrays of prompts into input rows: numbers as they are, or one-hot. */
import { EmacError, type ArrayInput, type NumberArray, type Prompt } from '@emac/core';

/** Numbers in a row. Errors: `usage` for invalid sizes. */
export function inputWidth(inputs: readonly ArrayInput[]): number {
  return inputs.reduce((sum, input) => sum + widthOf(input), 0);
}

function widthOf(input: ArrayInput): number {
  const sizes = input.encode === 'numbers' ? [input.size] : [input.size, ...input.categories];
  if (sizes.some((size) => !Number.isSafeInteger(size) || size < 1))
    throw new EmacError(
      'usage',
      `array input ${input.array}: needs positive whole sizes, got ${sizes.join(', ')}`,
    );
  if (input.encode === 'numbers') return input.size;
  const { categories, size, array } = input;
  if (categories.length === 0 || size % categories.length !== 0)
    throw new EmacError(
      'usage',
      `array input ${array}: its ${size} numbers must be whole groups of ${categories.length} categories`,
    );
  return (size / categories.length) * categories.reduce((sum, count) => sum + count, 0);
}

/** Rows [B, width] of prompts. Errors: `data` if a prompt lacks an array, or a number is not a category. */
export function readInputs(inputs: readonly ArrayInput[], prompts: readonly Prompt[]): Float32Array {
  const width = inputWidth(inputs);
  const rows = new Float32Array(prompts.length * width);
  prompts.forEach((prompt, row) => {
    let start = row * width;
    for (const input of inputs) {
      const { data } = arrayOf(prompt, input);
      start =
        input.encode === 'numbers'
          ? writeNumbers(rows, start, { data, scale: input.scale ?? 1 })
          : writeOneHot(rows, start, { data, input });
    }
  });
  return rows;
}

/** The prompt's array for an input. Errors: `data` if there is none of that size. */
export function arrayOf(prompt: Prompt, { array, size }: Pick<ArrayInput, 'array' | 'size'>): NumberArray {
  for (const part of prompt)
    if (part.kind === 'array' && part.name === array && part.values.data.length === size) return part.values;
  const found = prompt.map((part) =>
    part.kind === 'array' ? `${part.name} of ${part.values.data.length}` : part.kind,
  );
  throw new EmacError(
    'data',
    `small network: reads an array ${array} of ${size} numbers, the prompt has ${found.join(', ') || 'nothing'}`,
  );
}

function writeNumbers(
  rows: Float32Array,
  start: number,
  { data, scale }: { readonly data: ArrayLike<number>; readonly scale: number },
): number {
  for (let place = 0; place < data.length; place++) rows[start + place] = data[place]! * scale;
  return start + data.length;
}

interface OneHot {
  readonly data: ArrayLike<number>;
  readonly input: Extract<ArrayInput, { encode: 'one-hot' }>;
}

function writeOneHot(rows: Float32Array, start: number, { data, input }: OneHot): number {
  const { categories, array } = input;
  let first = start;
  for (let place = 0; place < data.length; place++) {
    const value = data[place]!;
    const count = categories[place % categories.length]!;
    if (!(value >= 0 && value < count && Number.isInteger(value)))
      throw new EmacError(
        'data',
        `small network: numbers of ${array} at place ${place} must be whole and below ${count}, got ${value}`,
      );
    rows[first + value] = 1;
    first += count;
  }
  return first;
}
