/** Kinds of projections, and the names and shapes of their tensors. */
import { EmacError, type ParameterSet } from '@emac/core';

/** one, two or three layers; the last two of three are as wide as the language model (OpenVLA) */
export type ProjectionKind = 'linear' | 'mlp' | 'mlp3';

export interface ProjectionShape {
  readonly kind: ProjectionKind;
  /** width of a Q-Former output, Dq */
  readonly inputWidth: number;
  /** width of a token of the language model, D */
  readonly outputWidth: number;
  /** width after the first of two layers or three */
  readonly hiddenWidth?: number;
  /** default true */
  readonly bias?: boolean;
}

/** Names and shapes of a projection's tensors, in order of application. Errors: `usage` for invalid widths. */
export function projectionShapes(shape: ProjectionShape): ReadonlyMap<string, readonly number[]> {
  const { kind, bias = true } = shape;
  const widths = layerWidths(shape);
  if (widths.some((width) => !Number.isSafeInteger(width) || width < 1))
    throw new EmacError(
      'usage',
      `projection: ${kind} needs positive whole widths, got ${widths.join(' → ')}, give the missing one`,
    );
  const layers = kind === 'linear' ? [''] : ['0.', '2.', '4.'];
  return new Map<string, readonly number[]>(
    layers
      .slice(0, widths.length - 1)
      .flatMap((layer, index): [string, readonly number[]][] => [
        [`language_projection.${layer}weight`, [widths[index + 1]!, widths[index]!]],
        ...(bias
          ? ([[`language_projection.${layer}bias`, [widths[index + 1]!]]] as [string, number[]][])
          : []),
      ]),
  );
}

/** Widths of the input, between the layers, and of the output. */
function layerWidths({ kind, inputWidth, outputWidth, hiddenWidth = 0 }: ProjectionShape): number[] {
  if (kind === 'linear') return [inputWidth, outputWidth];
  return [inputWidth, hiddenWidth, ...(kind === 'mlp3' ? [outputWidth] : []), outputWidth];
}

/** Kind and widths of a projection with these tensors. Errors: `data` if they are not a projection's. */
export function shapeOf(parameters: ParameterSet): ProjectionShape {
  const shape = (name: string) => parameters.get(`language_projection.${name}`)?.shape ?? [];
  const [only, first, second] = [shape('weight'), shape('0.weight'), shape('2.weight')];
  const hasBias = [...parameters.keys()].some((name) => name.endsWith('bias'));
  const unbiased = hasBias ? {} : { bias: false };
  const found: ProjectionShape = parameters.has('language_projection.weight')
    ? { kind: 'linear', inputWidth: only[1]!, outputWidth: only[0]!, ...unbiased }
    : {
        kind: parameters.has('language_projection.4.weight') ? 'mlp3' : 'mlp',
        inputWidth: first[1]!,
        hiddenWidth: first[0]!,
        outputWidth: second[0]!,
        ...unbiased,
      };
  const widths = [found.inputWidth, found.outputWidth, found.hiddenWidth ?? 1];
  const names = widths.every((width) => width > 0) ? [...projectionShapes(found).keys()] : [];
  const isWhole = names.length > 0 && names.length === parameters.size;
  if (isWhole && names.every((name) => parameters.has(name))) return found;
  throw new EmacError(
    'data',
    `projection: parameters must be language_projection.weight and .bias, or those of .0 and .2, or of .0, .2 and .4, or the weights of these alone, got ${[...parameters.keys()].join(', ') || 'none'}`,
  );
}
