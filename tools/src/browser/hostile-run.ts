/** A run in which all texts of game, policy and expert try to be markup or script. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createRun } from '@emac/runs';

/** Texts that act if treated as markup: each would set `hurt` in the page, or open a dialog. */
export const hostile: readonly string[] = [
  '<img src=x onerror="hurt=1">',
  '<script>hurt=1</script>',
  '</script><script>hurt=1</script>',
  '<!--<script>hurt=1',
  '" onfocus="hurt=1" autofocus="',
  "' onmouseover='hurt=1'",
  '</pre></details><svg onload=alert(1)>',
  '<a href="javascript:hurt=1">here</a>',
  '\u2028hurt=1\u2029',
  '{{hurt=1}} ${hurt=1}',
];

/** Writes it into `out`; returns its folder. The id of each task and the names of metrics are hostile as well. */
export function hostileRun(out: string): string {
  const now = () => new Date(0);
  const config = { seed: 0, note: hostile.join(' ') };
  const run = createRun({ out, phase: 'bc', seed: 0, config, versions: {}, now });
  for (const [update, text] of hostile.entries())
    run.metrics({ kind: 'update', update, game: text, loss: 1 / (update + 1), [text]: update });
  for (const [episode, text] of hostile.entries()) {
    const at = { episode, round: 1, taskId: `${text}-1/${text}` };
    const observation = `${text}\n\nYour task is to: ${text}`;
    const said = { command: text, own: text, label: `${text}.`, reason: text, thoughts: [text] };
    const frame = 'ab12.png" onerror="hurt=1';
    run.transcript(episode, [
      { kind: 'episode-start', ...at, taskType: text, observation, frame },
      { kind: 'step', episode, ...said, observation: text, frame },
      { kind: 'episode-end', episode, won: false },
    ]);
    run.event({ kind: 'lesson', ...at, round: 0, lesson: text });
    run.event({ kind: 'episode-end', ...at, won: false, expertWon: false, steps: 1 });
  }
  const credits = { reward: 0, stepAdvantage: -1, sameState: 2, advantage: -0.5 };
  run.attempt(0, [
    { kind: 'attempt', update: 0, attempt: 0, task: hostile.join(' '), won: false, steps: 10, spread: 1 },
    ...hostile.map((text) => ({
      kind: 'step',
      observed: text,
      answer: text,
      command: `${text}.`,
      ...credits,
    })),
  ]);
  writeFileSync(join(run.folder, 'command.txt'), hostile.join('\n'));
  run.finish();
  return run.folder;
}
