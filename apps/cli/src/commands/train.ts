/** `emac train`: one phase, or behaviour cloning and then preference learning against it; begun, or gone on with. */
import { EmacError } from '@emac/core';
import {
  presetConfig,
  resume,
  RunError,
  trainPhases,
  type FinishedRun,
  type GivenSettings,
  type TrainConfig,
  type TrainingHost,
} from '@emac/experiment';
import { requireMeant, trainBelonging } from '../options/belonging.ts';
import { configured } from '../options/configured.ts';
import { directCall } from './direct-call.ts';
import { choice, text, toggle, type Values } from '../options/option.ts';
import { presetTable } from '../options/preset-table.ts';
import { changedBy } from '../options/resume-changes.ts';
import { trainSettings } from '../options/train-settings.ts';
import { hostOf } from '../terminal/host.ts';
import { say, type Io } from '../terminal/io.ts';
import { shellWord } from '../terminal/shell-word.ts';
import { durations } from '../terminal/amounts.ts';
import { trainingReport } from '../terminal/training-report.ts';
import { command } from './command.ts';

const options = {
  phase: choice(['bc', 'dpo', 'bc,dpo'], {
    help: 'behaviour cloning, preference learning against --ref, or one after the other; needed unless --resume',
    default: null,
  }),
  resume: text({
    help: 'the folder of a run that was stopped or killed: goes on to what it would have been; needs no other flag',
    default: null,
  }),
  'allow-drift': toggle('--resume: go on although code or backends are others than those the run began with'),
  ...trainSettings,
};

type TrainValues = Values<typeof options>;

export const trainCommand = command({
  options,
  epilogue: () => `${presetTable(trainSettings)}\n\n${directCall}`,
  run: async (values, _words, io) => {
    try {
      await trained(values, io);
      return 0;
    } catch (thrown) {
      if (thrown instanceof RunError) sayHowToGoOn(thrown, io);
      throw thrown;
    }
  },
});

function trained(values: TrainValues, io: Io): Promise<FinishedRun[]> {
  const { resume: folder, phase, 'allow-drift': allowDrift } = values;
  if (folder !== null) {
    const changed = changedBy(values);
    return resume(folder, { ...trainingHost(io), allowDrift, changed });
  }
  if (phase === null)
    throw new EmacError(
      'usage',
      '--phase: is needed, give bc, dpo or bc,dpo; or --resume with the folder of a run',
    );
  const phases = phase.split(',') as TrainConfig['phase'][];
  requireMeant(values, trainBelonging);
  return trainPhases(givenSettings(values, phases[0]!), phases, trainingHost(io));
}

/** Each phase is reported when it is over. */
function trainingHost(io: Io): TrainingHost {
  return { ...hostOf(io, io.catchInterruption()), onFinished: (run) => report(run, io) };
}

/** What was typed, and nothing of the preset. */
function givenSettings(values: TrainValues, phase: TrainConfig['phase']): GivenSettings {
  const preset = values.preset as TrainConfig['preset'] | undefined;
  const standard = presetConfig(preset ?? 'tiny', phase);
  return configured(trainSettings, values, { standard });
}

function report(run: FinishedRun, { stdout }: Io): void {
  say(stdout, trainingReport(run));
  say(stdout, `time: ${durations(run.spent)}${run.wasResumed ? ' since it was resumed' : ''}`);
}

function sayHowToGoOn({ run }: RunError, { stderr }: Io): void {
  const command = `npx emac train --resume ${shellWord(run.folder)}`;
  if (run.isBadPicture)
    say(
      stderr,
      `to go on: mend the picture, then ${command}; or without such records, ${command} --skip-bad-records`,
    );
  else if (run.canGoOn) say(stderr, `to go on: ${command}`);
}
