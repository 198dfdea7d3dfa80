/** Episodes in words, for trackers: live, and from a run's transcripts. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isThere } from '@emac/files';
import { readEpisode, type StepView } from '@emac/report';
import { layout } from '@emac/runs';

/** A step as Markdown. */
export function stepWords({
  own,
  label,
  command,
  observation,
}: Pick<StepView, 'own' | 'label' | 'command' | 'observation'>): string {
  const said = [own !== null && `policy: ${own}`, label !== null && `expert: ${label}`, `> ${command}`];
  return [said.filter((each) => each !== false).join('  \n'), observation].join('\n\n');
}

/** An episode as Markdown: task, observations, actions, result. */
export function episodeWords(taskId: string, said: readonly string[], won: boolean): string {
  return [taskId, ...said, won ? 'won' : 'not won'].join('\n\n');
}

/** Every episode with a transcript. */
export function toldEpisodes(run: string): { readonly step: number; readonly text: string }[] {
  const folder = join(run, layout.episodes);
  if (!isThere(folder)) return [];
  return readdirSync(folder)
    .filter((name) => /^\d+\.jsonl$/.test(name))
    .sort()
    .map((name) => {
      const { taskId, observation, shown, won } = readEpisode(join(folder, name));
      const text = episodeWords(taskId, [observation, ...shown.map(stepWords)], won);
      return { step: Number.parseInt(name, 10), text };
    });
}
