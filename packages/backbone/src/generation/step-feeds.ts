/** The inputs of `decodeGraph` for one step of a batch's beams. */
import type { Feeds, Value } from '@emac/graph';

import { hiddenScore } from '../networks/attention-bias.ts';
import type { SlotPlan } from './beam-slots.ts';
import { integers } from './prompts/integers.ts';
import type { LlamaConfig } from '../files/model-config.ts';
import type { PaddedPrompts } from './prompts/padded-prompts.ts';
import type { StepRequests } from './step-scores.ts';

type Prompts = Pick<PaddedPrompts, 'count' | 'rows'>;

export interface StepSizes {
  /** K, most beams of a prompt */
  readonly beams: number;
  /** P */
  readonly prompt: number;
  /** S, earlier slots kept */
  readonly kept: number;
}

/**
 * Tokens and positions of all beams; rows beyond a prompt's own beams are computed and ignored. A finished prompt has
 * position 0, because other prompts may go beyond the last valid position.
 */
export function beamFeeds(
  requests: StepRequests,
  { prompts, sizes, step }: { prompts: Prompts; sizes: StepSizes; step: number },
): Feeds {
  const shape = [prompts.count, sizes.beams];
  const tokens = requests.flatMap((request) =>
    Array.from({ length: sizes.beams }, (_, beam) => request?.beams[beam]?.token ?? 0),
  );
  const positions = prompts.rows.flatMap(({ next }, row) =>
    Array<number>(sizes.beams).fill(requests[row] ? next + step - 1 : 0),
  );
  return { tokens: integers(tokens, shape), positions: integers(positions, shape) };
}

/** The cache rows [B·Hkv·R] to keep: int32 [B, Hkv, S]; places beyond a prompt's own repeat a row. */
export function liveRows(
  plans: readonly SlotPlan[],
  { config, slots, kept }: { config: LlamaConfig; slots: number; kept: number },
): Value {
  const { keyValueHeads } = config;
  const data = new Int32Array(plans.length * keyValueHeads * kept);
  plans.forEach(({ live }, row) => {
    for (let head = 0; head < keyValueHeads; head++) {
      const first = row * keyValueHeads + head;
      live.forEach((slot, place) => (data[first * kept + place] = first * slots + slot));
    }
  });
  return { type: 'int32', shape: [plans.length, keyValueHeads, kept], data };
}

interface Visibility {
  readonly config: LlamaConfig;
  readonly prompts: Prompts;
  readonly sizes: StepSizes;
}

/** `bias` of all layers, or also `window_bias` of those with a window. */
export function visibilityFeeds(plans: readonly SlotPlan[], step: Visibility): Feeds {
  const { slidingWindow = Infinity, windowLayers } = step.config;
  const windowed = visibility(plans, slidingWindow, step);
  return windowLayers
    ? { bias: visibility(plans, Infinity, step), window_bias: windowed }
    : { bias: windowed };
}

/** 0 where a beam sees a place of [prompt][kept][new], else far below any score: [B, 1, Q, P + S + K]. */
function visibility(
  plans: readonly SlotPlan[],
  window: number,
  { config, prompts, sizes }: Visibility,
): Value {
  const width = sizes.prompt + sizes.kept + sizes.beams;
  const rows = (config.heads / config.keyValueHeads) * sizes.beams;
  const data = new Float32Array(plans.length * rows * width);
  plans.forEach(({ earlier }, prompt) => {
    const { padding, lead, positions, next } = prompts.rows[prompt]!;
    for (let row = 0; row < rows; row++) {
      const beam = row % sizes.beams;
      const line = data.subarray((prompt * rows + row) * width).subarray(0, width);
      const own = earlier[beam] ?? [];
      // the first visible position
      const first = next + own.length + 1 - window;
      if (first > 0)
        positions.forEach((position, place) => (line[place] = position < first ? hiddenScore : 0));
      line.fill(hiddenScore, lead, lead + padding);
      line.fill(hiddenScore, sizes.prompt);
      own.forEach((place, token) => {
        if (next + token >= first) line[sizes.prompt + place] = 0;
      });
      line[sizes.prompt + sizes.kept + beam] = 0;
    }
  });
  return { type: 'float32', shape: [plans.length, 1, rows, width], data };
}
