/** `emac eval`: what a trained policy can do, without expert, key or network. */
import { evaluatePolicy, type EvaluationConfig, type PolicyEvaluation } from '@emac/experiment';
import { evalBelonging, requireMeant } from '../options/belonging.ts';
import { configOption, layered } from '../options/layers.ts';
import { evalSettings } from '../options/eval-settings.ts';
import { runNamed } from '../options/run-name.ts';
import { toggle } from '../options/option.ts';
import { durations } from '../terminal/amounts.ts';
import { datasetText } from '../terminal/dataset-report.ts';
import { evaluationText } from '../terminal/evaluation-report.ts';
import { hostOf } from '../terminal/host.ts';
import { say } from '../terminal/io.ts';
import { command } from './command.ts';

export const evalCommand = command({
  options: { ...configOption, ...evalSettings, json: toggle('print the result as JSON on standard output') },
  run: async (values, words, io) => {
    requireMeant(values, evalBelonging);
    const { given } = layered<EvaluationConfig>(evalSettings, { values, words, env: io.env });
    const config = { ...given, ckpt: runNamed(given.ckpt) };
    const evaluated = await evaluatePolicy(config, hostOf(io));
    say(io.stdout, values.json ? JSON.stringify(evaluated.result) : textOf(evaluated));
    say(values.json ? io.stderr : io.stdout, `time: ${durations(evaluated.spent)}`);
    return 0;
  },
});

function textOf(evaluated: PolicyEvaluation): string {
  return evaluated.kind === 'games' ? evaluationText(evaluated.result) : datasetText(evaluated.result);
}
