/** The facts of an environment, in words. */
import type { EnvironmentFacts } from '@emac/opening';

/** Its actions, at most so many. */
export function actionsText({ actions }: EnvironmentFacts, most = Infinity): string {
  if (actions === null) return 'any text';
  const shown = actions.slice(0, actions.length > most ? most - 2 : most).join(', ');
  return actions.length > most ? `${shown}, and ${actions.length - most + 2} more at first` : shown;
}

/** How many tasks each set has. */
export function tasksText({ training_tasks: own, held_out_tasks: heldOut }: EnvironmentFacts): string {
  const said = (count: number | null) => (count === null ? 'one per seed' : String(count));
  return `${said(own)} for training, ${said(heldOut)} held out`;
}

/** The declared range of a step's reward. */
export function rewardsText({ rewards }: EnvironmentFacts): string {
  return rewards === null ? 'undeclared' : `from ${rewards[0]} to ${rewards[1]}`;
}
