/** What it takes to carry out a phase. */
import type { ResumePoint, Run } from '@emac/runs';
import type { Host, Times } from '../host.ts';
import type { RunElsewhere } from '../workers/elsewhere.ts';
import type { TrainingPlan } from './plan.ts';

export interface Work {
  readonly plan: TrainingPlan;
  readonly run: Run;
  /** where the run goes on; null at its beginning */
  readonly point: ResumePoint | null;
  readonly host: Host;
  readonly times: Times;
  /** other processes that play; null where this one does */
  readonly elsewhere: RunElsewhere | null;
}
