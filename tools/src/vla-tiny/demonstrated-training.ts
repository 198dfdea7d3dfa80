/** What the robot's demonstration asks of `emac`, but for policies, places and seeds. */

const env = ['--env', 'tabletop/spatial'];

/** Half of the labels are any motion: fine-tuning is to leave something to learn. */
export const collection = [...env, '--num-samples', '512', '--action-steps', '4', '--label-noise', '0.5'];

export const fineTuning = ['--max-updates', '30', '--lr', '1e-3'];

/** Every held-out initial state once. */
export const evaluation = [...env, '--num-episodes', '100'];

export const learning = [...env, '--total-steps', '65536', '--eval-episodes', '0'];

const curriculum = (formula: string) => ['--curriculum', formula, '--curriculum-alpha', '0.9'];

/** Names and flags of what is compared; the first is what the others leave out or change. */
export const variants: Readonly<Record<string, readonly string[]>> = {
  PPO: curriculum('half'),
  'no warm-up': [...curriculum('half'), '--value-init-steps', '0'],
  'no curriculum': ['--curriculum', 'none'],
  'curriculum paper': curriculum('paper'),
  'curriculum failures': curriculum('failures'),
  'curriculum distance': curriculum('distance'),
};
