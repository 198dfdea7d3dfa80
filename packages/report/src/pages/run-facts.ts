/** What the head of a page says of a run or an evaluation beside its results. */
import type { RunView } from '@emac/pages/data';
import type { EvaluationResult } from '@emac/rollout';
import type { RunRecord } from '@emac/runs';
import { flagsIn } from '../board/command-flags.ts';
import { settingsIn } from '../board/row-parts.ts';

type Facts = Pick<RunView, 'environment' | 'policy' | 'started' | 'seconds' | 'changed' | 'settings'>;

/** games, where nothing else is named */
const games = 'alfworld';

export interface RunFiles {
  readonly record: RunRecord;
  /** content of config.yaml and of command.txt */
  readonly config: string | null;
  readonly command: string | null;
}

/** `now` ends a run that has no end yet. */
export function aboutRun({ record, config, command }: RunFiles, now: Date): Facts {
  const settings = settingsOf(config);
  const of = (name: string) => (typeof settings[name] === 'string' ? settings[name] : null);
  const seconds = (Date.parse(record.ended ?? now.toISOString()) - Date.parse(record.started)) / 1000;
  return {
    environment: config === null ? null : (of('env') ?? games),
    policy: of('policy')?.split(/[/\\]/).filter(Boolean).at(-1) ?? null,
    started: record.started,
    seconds: Number.isFinite(seconds) ? Math.max(0, seconds) : null,
    changed: flagsIn(command ?? ''),
    settings,
  };
}

export function aboutEvaluation(result: EvaluationResult | null): Facts {
  return {
    environment: result ? (result.env ?? games) : null,
    policy: result
      ? (result.policy ?? result.checkpoint.split(/[/\\]/).filter(Boolean).at(-1) ?? null)
      : null,
    started: null,
    seconds: null,
    changed: [],
    settings: {},
  };
}

/** None if the text is damaged. */
function settingsOf(config: string | null): RunView['settings'] {
  try {
    return config === null ? {} : settingsIn(config);
  } catch {
    return {};
  }
}
