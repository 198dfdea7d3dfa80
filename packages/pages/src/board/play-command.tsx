/** How to play beside a run's policy: the command, whose page links back to here. */
import { Command } from '../components/settings.tsx';
import { playWords, type PlayedRun } from './play-words.ts';

export function PlayCommand(run: Omit<PlayedRun, 'board'>) {
  const text = playWords({ ...run, board: location.origin + location.pathname });
  if (text === null) return null;
  return (
    <details class="play-command">
      <summary>Play beside this policy</summary>
      <Command text={text} />
    </details>
  );
}
