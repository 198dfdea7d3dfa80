/** `README.md` of a run: the contents of its folder, and the next commands. No time, and no path but of code that is named anew. */
import { phases } from '@emac/algorithms';
import type { RunRecord } from '@emac/runs';
import { codeFlags, type RecordedCode } from './resume-command.ts';

/** Of a run with this record and stored configuration. */
export function readmeText(record: Pick<RunRecord, 'phase' | 'method'>, config: RecordedCode): string {
  const method = record.method ?? record.phase;
  const made = `train --${phases.some((phase) => phase === method) ? 'phase' : 'method'} ${method}`;
  const code = codeFlags(config);
  return `# A run of \`emac ${made}\`

This folder is one run: its settings, its course and its results. \`RUN\` below stands for its path. It can be
moved or copied as a whole; \`emac eval\` needs no more than one folder of \`checkpoints\`.

## What to type next

| to | type |
| --- | --- |
| see results, curves and episodes | open \`report.html\`, or \`npx emac report RUN\` |
| watch it while it trains | \`npx emac board FOLDER\`, with the folder in which the run is |
| resume after a stop or a kill (unfinished runs have no \`DONE\`) | \`npx emac train --resume RUN${code}\` |
${next(record, config)}| see its checkpoints | \`npx emac ckpt ls RUN\` |
| do the same again, or with other settings | the command in \`command.txt\`; \`npx emac ${made} --config RUN/config.yaml${code}\` |

## What is in it

| file or folder | what it holds |
| --- | --- |
| \`command.txt\` | the command that started the run, with the version of the program, and the commands that resumed it |
| \`config.yaml\` | every setting with the value in use; \`--config\` takes it |
| \`run.json\` | status (\`running\`, \`interrupted\`, \`failed\`, \`done\`), times, versions, backends |
| \`events.jsonl\` | what happened when, one JSON object a line |
| \`metrics.jsonl\` | losses, rates and successes, one JSON object a line; the same bytes for the same seed and settings |
| \`eval-before.json\`, \`eval.json\` | the evaluations before and after training, game by game |
| \`report.html\` | all of this as one page for a browser |
| \`checkpoints/\` | trained parameters; \`latest\` and \`best\` name one. \`projection.safetensors\` holds the projection, \`adapter_model.safetensors\` the adapter, \`value_head.safetensors\` the critic, \`network.safetensors\` a small network, if the run has one |
| \`episodes/\`, \`frames/\` | every episode step by step, and its pictures |
| \`traces.jsonl\` | every episode as a conversation, with its reward and token ids, with \`--traces\` |
| \`buffers/\` | training samples |
| \`reference/\` | the reference policy of preference learning, if the run has one |
| \`logging_results/\` | the same episodes in the formats of the published logs |
| \`llm.jsonl\` | replies of a language model, if the run asked one |
| \`tb/\` | curves for TensorBoard, with \`--tracker tensorboard\` |
| \`DONE\` | written last: the run is finished |

Some appear only later in the run, or on request.
`;
}

function next({ phase }: Pick<RunRecord, 'phase'>, config: RecordedCode): string {
  const env = codeFlags({ ...(config.env !== undefined && { env: config.env }) });
  const played = config.role
    ? `npx emac eval --env lewis --${config.role} RUN`
    : `npx emac eval${env} --ckpt RUN`;
  const preferences =
    phase === 'bc'
      ? `| prefer the expert's commands to its own mistakes | \`npx emac train --phase dpo${env} --ref RUN\` |\n`
      : '';
  return `| play held-out tasks | \`${played}\` |\n${preferences}`;
}
