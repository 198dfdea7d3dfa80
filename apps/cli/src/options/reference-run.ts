/** The run that preferences are learned against, where nobody named one. */
import { isJudged } from '@emac/algorithms';
import { EmacError } from '@emac/core';
import { runsIn, standingOf, type ListedRun } from '@emac/runs';
import { usualEnvironment, type GivenSettings, type TrainConfig } from '@emac/settings';
import { recordedIn } from '../run-notes/resume-command.ts';
import type { Io } from '../terminal/io.ts';
import { shellWord } from '../terminal/shell-word.ts';
import { isInEnvironment, usualFolder } from './run-name.ts';

/** Errors: `usage` for a phase that needs a reference and has none, with the newest run that would do. */
export function requireReference(
  phase: TrainConfig['phase'],
  { start, env = usualEnvironment, policy }: GivenSettings,
  { argv = [], now }: Pick<Io, 'argv' | 'now'>,
): void {
  if (!isJudged(phase) || start?.ref != null) return;
  const fits = (run: ListedRun) =>
    run.record.phase === 'bc' &&
    isInEnvironment(run, env) &&
    (policy === undefined || recordedIn(run.folder).policy === policy) &&
    standingOf(run.folder, new Date(now())).checkpoint !== null;
  const run = runsIn(usualFolder).find(fits);
  const command = ['npx', 'emac', ...argv, ...(run ? ['--ref', run.folder] : [])].map(shellWord).join(' ');
  throw new EmacError(
    'usage',
    `--phase ${phase}: needs a policy to start from, --ref; ${run ? `the newest run that would do: ${command}` : `no run in ${usualFolder} would do: train one by --phase bc first, or both by --phase bc,dpo`}`,
  );
}
