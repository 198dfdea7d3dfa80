/** The word after `emac` that begins and goes on with runs of a phase, which run.json names. */
export function trainingCommand(phase: string): 'train' | 'ppo' | 'grpo' {
  return phase === 'ppo' || phase === 'grpo' ? phase : 'train';
}
