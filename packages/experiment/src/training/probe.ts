/** The probe of a run: what the expert does in the training games, played once and kept in the run. */
import { join } from 'node:path';
import { collectProbe, type ProbeStep } from '@emac/algorithms';
import type { FilePart } from '@emac/files';
import { layout } from '@emac/runs';
import { readProbe, writeProbe } from '../checkpoint/probe-file.ts';
import { gamesEnvironment } from '../tasks/environment.ts';
import { tellSteps } from '../host.ts';
import type { Work } from './work.ts';

const name = `${layout.buffers}/probe.bin`;

/** The steps, as the checkpoint has them or played now; none where the configuration wants none. Errors: `interrupted`. */
export async function probeOf(work: Work): Promise<readonly ProbeStep[]> {
  const { run, point, plan } = work;
  if (plan.config.probe === false) return [];
  const path = join(run.folder, name);
  const part: Required<FilePart> | undefined = point?.run.files[name];
  if (part) {
    const { steps, file } = readProbe(path, part);
    run.holds(name, file);
    return steps;
  }
  const steps = await playExpert(work);
  run.holds(name, writeProbe(path, steps));
  return steps;
}

function playExpert({ plan, host }: Work): Promise<ProbeStep[]> {
  const { student, settings, teacher, games, form, texts, sampling, config } = plan;
  host.listener?.begin?.('expert', games.length);
  const tell = tellSteps(host.listener);
  return collectProbe({
    rollout: {
      environment: gamesEnvironment(games, form),
      policy: student,
      texts,
      sampling,
      expert: teacher.expert,
      maxSteps: settings.play.maxSteps,
      admissibleOnly: false,
      parallel: plan.parallelEvaluation,
      report: (event) => {
        tell(event);
        if (event.kind === 'episode-end') host.listener?.advance?.(event.trajectory.task.id);
      },
      ...(host.signal && { signal: host.signal }),
    },
    random: plan.random.stream('probe'),
    withRejected: config.phase === 'dpo',
  });
}
