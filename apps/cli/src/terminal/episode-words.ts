/** Episodes in words, for trackers: live, and from a run's transcripts. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isThere, readJournal } from '@emac/files';
import { layout } from '@emac/runs';

export interface SaidStep {
  readonly own: string | null;
  readonly label: string | null;
  readonly command: string;
  readonly observation: string;
}

/** A step as Markdown. */
export function stepWords({ own, label, command, observation }: SaidStep): string {
  const said = [own !== null && `policy: ${own}`, label !== null && `expert: ${label}`, `> ${command}`];
  return [said.filter((each) => each !== false).join('  \n'), observation].join('\n\n');
}

/** An episode as Markdown: task, observations, actions, result. */
export function episodeWords(taskId: string, said: readonly string[], won: boolean): string {
  return [taskId, ...said, won ? 'won' : 'not won'].join('\n\n');
}

type TranscriptLine =
  | { readonly kind: 'episode-start'; readonly observation: string; readonly taskId: string }
  | (SaidStep & { readonly kind: 'step' })
  | { readonly kind: 'episode-end'; readonly won: boolean };

/** Every episode with a transcript. Errors: `data`, `io`. */
export function toldEpisodes(run: string): { readonly step: number; readonly text: string }[] {
  const folder = join(run, layout.episodes);
  if (!isThere(folder)) return [];
  return readdirSync(folder)
    .filter((name) => /^\d+\.jsonl$/.test(name))
    .sort()
    .map((name) => {
      let [taskId, won] = ['', false];
      const said = (readJournal(join(folder, name)) as TranscriptLine[]).flatMap((line) => {
        if (line.kind === 'step') return [stepWords(line)];
        if (line.kind === 'episode-end') won = line.won;
        else taskId = line.taskId;
        return line.kind === 'episode-start' ? [line.observation] : [];
      });
      return { step: Number.parseInt(name, 10), text: episodeWords(taskId, said, won) };
    });
}
