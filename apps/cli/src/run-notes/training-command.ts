/** The word after `emac` that starts and resumes runs of a phase; the phase is in run.json. */
export function trainingCommand(phase: string): 'train' | 'ppo' | 'grpo' {
  return phase === 'ppo' || phase === 'grpo' ? phase : 'train';
}
