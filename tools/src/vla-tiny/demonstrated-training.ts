/** The robot demonstration's `emac` arguments, without policies, folders and seeds. */

const env = ['--env', 'tabletop/spatial'];

/** Most labels are random motions, so fine-tuning leaves something to learn. */
export const collection = [...env, '--num-samples', '512', '--action-steps', '4', '--label-noise', '0.78'];

export const fineTuning = ['--max-updates', '30', '--lr', '1e-3'];

/** Every held-out initial state once: greedy, sampled at the training temperature, and sampled at 1. */
export const evaluations = {
  greedy: [...env, '--num-episodes', '100'],
  'sampled at 0.5': [...env, '--num-episodes', '100', '--temperature', '0.5'],
  'sampled at 1': [...env, '--num-episodes', '100', '--temperature', '1'],
} as const;

export type Answering = keyof typeof evaluations;

/** updates from one point of the curve to the next */
export const updatesApart = 16;

export const learning = [
  ...[...env, '--eval-episodes', '0'],
  ...['--checkpoint-every', String(updatesApart), '--keep', 'all'],
];

const curriculum = (formula: string) => ['--curriculum', formula, '--curriculum-alpha', '0.9'];
const [short, long] = [128, 256].map((updates) => ['--steps', String(512 * updates)]) as [string[], string[]];
const sharpened = [...short, '--temperature', '0.5'];

/** Names and flags of the trainings for every seed; the ablations change the first. */
export const wholes: Readonly<Record<string, readonly string[]>> = {
  PPO: [...sharpened, ...curriculum('half')],
  'PPO, twice as long': [...long, '--temperature', '0.5', ...curriculum('half')],
};

export const ablations: Readonly<Record<string, readonly string[]>> = {
  'no warm-up': [...sharpened, ...curriculum('half'), '--value-init-steps', '0'],
  'no curriculum': [...sharpened, '--curriculum', 'none'],
  'curriculum paper': [...sharpened, ...curriculum('paper')],
  'curriculum failures': [...sharpened, ...curriculum('failures')],
  'curriculum distance': [...sharpened, ...curriculum('distance')],
  'temperature 1': [...short, ...curriculum('half')],
};
