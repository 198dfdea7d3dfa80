/** The probe of a run: the expert's steps in the training games, played once and stored in the run. */
import { join } from 'node:path';
import { collectProbe, learnsPairs, type ProbeStep } from '@emac/algorithms';
import type { Environment } from '@emac/core';
import type { FilePart } from '@emac/files';
import { tellSteps } from '@emac/opening';
import { layout } from '@emac/runs';
import { readProbe, writeProbe } from '../checkpoint/probe-file.ts';
import type { Work } from './training-workers.ts';

const name = `${layout.buffers}/probe.bin`;

/** The stored steps, or newly played ones; none if not configured. Errors: `interrupted`. */
export async function probeOf(work: Work, environment: Environment): Promise<readonly ProbeStep[]> {
  const { run, point, plan } = work;
  if (plan.config.probe === false) return [];
  const path = join(run.folder, name);
  const part: Required<FilePart> | undefined = point?.run.files[name];
  if (part) {
    const { steps, file } = readProbe(path, part);
    run.holds(name, file);
    return steps;
  }
  const steps = await playExpert(work, environment);
  run.holds(name, writeProbe(path, steps));
  return steps;
}

function playExpert({ plan, host, elsewhere }: Work, environment: Environment): Promise<ProbeStep[]> {
  const { student, settings, teacher, play, policy, sampling, config } = plan;
  host.listener?.begin?.('expert', environment.tasks.length);
  // the actor must be where the games are played
  const workers = elsewhere?.labels ? elsewhere.part('probe', play) : undefined;
  const tell = tellSteps(host.listener);
  return collectProbe({
    rollout: {
      environment,
      policy: student,
      texts: policy.texts,
      sampling,
      expert: teacher.expert,
      maxSteps: settings.play.maxSteps,
      admissibleOnly: false,
      parallel: play.seats(plan.parallelEvaluation),
      elsewhere: workers,
      report: (event) => {
        tell(event);
        if (event.kind === 'episode-end') host.listener?.advance?.(event.trajectory.task.id);
      },
      ...(host.signal && { signal: host.signal }),
    },
    random: plan.random.stream('probe'),
    withRejected: learnsPairs(config.phase),
  });
}
