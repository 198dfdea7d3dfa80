/**
 * Commands of ALFWorld's other release. Games of 0.4 take `move mug 1 to desk 2`, older ones `put mug 1 in/on desk 2`, and answer the other form
 * with `Nothing happens.`, so a policy that was trained in one of them fails in the other without a fault to see.
 */
import { commandInDialect, dialectOf, type Dialect } from '@emac/prompt';
import { warn, type Host, type StepAction } from '@emac/opening';
import type { EpisodeWatcher } from '@emac/rollout';
import type { PlayedGame } from '../logs/published-logs.ts';

const releases: Readonly<Record<Dialect, string>> = {
  move: 'move OBJECT to PLACE, as ALFWorld writes since 0.4',
  put: 'put OBJECT in/on PLACE, as ALFWorld wrote up to 0.3.5',
};

/** A sentence if a policy wrote commands that these games do not take, else null. */
export function dialectWarning(games: readonly Told[]): string | null {
  const missed = games.map((game) => ({ taken: dialectIn(game), commands: missedIn(game) }));
  const failed = missed.filter(({ commands }) => commands.length > 0);
  if (failed.length === 0) return null;
  const [{ taken, commands }] = failed as [(typeof failed)[number]];
  const count = failed.reduce((sum, each) => sum + each.commands.length, 0);
  return `${count} ${count === 1 ? 'command' : 'commands'} in ${failed.length} of ${games.length} games did nothing for their form, such as ${JSON.stringify(commands[0])}: these games take ${releases[taken]}; the policy writes the other form, so evaluate it on games that take it, or train it on these`;
}

/** Notes what is said in episodes that are played step by step; `tell` warns of them. */
export function dialectWatch({ listener }: Pick<Host, 'listener'>) {
  const games = new Map<number, { readonly observation: string; readonly steps: Said[] }>();
  const watch: EpisodeWatcher<StepAction> = {
    begun(episode, { moment }) {
      if (moment) games.set(episode, { observation: moment().history.initial, steps: [] });
    },
    stepped(episode, { environment: { actions, moment }, action }) {
      const command = typeof action === 'number' ? actions[action] : action;
      if (moment && typeof command === 'string')
        games.get(episode)?.steps.push({ command, observation: moment().observation.text });
    },
    ended(episode) {
      const game = games.get(episode);
      // its words are not needed any more
      if (game && dialectWarning([game]) === null) games.set(episode, { observation: '', steps: [] });
    },
  };
  return {
    watch,
    tell(): void {
      const warning = dialectWarning([...games.values()]);
      if (warning !== null) warn(listener, warning);
    },
  };
}

type Said = Pick<PlayedGame['steps'][number], 'command' | 'observation'>;
type Told = Pick<PlayedGame, 'observation'> & { readonly steps: readonly Said[] };

function dialectIn({ observation, steps }: Told): Dialect {
  return dialectOf({ history: { initial: observation, turns: steps } });
}

/** Only of games that have told their form, by an arrival. */
function missedIn(game: Told): string[] {
  if (!game.steps.some(({ observation }) => observation.startsWith('You arrive at '))) return [];
  const taken = dialectIn(game);
  return game.steps.flatMap(({ command, observation }) =>
    observation.trim() === 'Nothing happens.' && commandInDialect(command, taken) !== command
      ? [command]
      : [],
  );
}
