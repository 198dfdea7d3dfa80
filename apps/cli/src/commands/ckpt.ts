/** `emac ckpt …`: lists, inspects, verifies, compares, prunes and exports checkpoints. */
import { EmacError, exitCodes } from '@emac/core';
import { createFolder, writeFileAtomic, encodeFloats, isThere } from '@emac/files';
import type { ExportedModel, PublishedRun } from '@emac/model-folders';
import {
  checkpointFault,
  listCheckpoints,
  loadCheckpoint,
  parameterDifferences,
  pruneCheckpoints,
  resolveCheckpoint,
  type Checkpoint,
  type CheckpointMoment,
} from '@emac/runs';
import { dirname } from 'node:path';
import { choice, integer, requiredText, text, toggle } from '../options/option.ts';
import { runNamed } from '../options/run-name.ts';
import { counted } from '../terminal/amounts.ts';
import { say, type Io } from '../terminal/io.ts';
import { table } from '../terminal/table.ts';
import { command } from '../calling/command.ts';

const json = toggle('print as JSON on standard output');

/** All parameters of a checkpoint, including an adapter's or a value head's. */
const parametersIn = ({ projection, beside }: Pick<Checkpoint, 'projection' | 'beside'>) =>
  new Map([projection, ...beside.values()].flatMap((tensors) => [...tensors]));

/** The named checkpoint. */
const loaded = (name: string) => loadCheckpoint(resolveCheckpoint(runNamed(name)).folder);

export const ckptListCommand = command({
  options: { json, verify: toggle('check every file of every checkpoint') },
  run: (values, [run], io) => Promise.resolve((values.verify ? verify : list)(runNamed(run!), values, io)),
});

function list(run: string, { json: isJson }: { json: boolean }, { stdout }: Io): number {
  const listed = listCheckpoints(run);
  if (isJson) say(stdout, JSON.stringify(listed));
  else {
    const rows = listed.map(({ name, bytes, isLatest, isBest, moment }) => [
      name,
      moment ? momentText(moment) : '',
      `${(bytes / 1024).toFixed(0)} KiB`,
      [isLatest && 'latest', isBest && 'best'].filter((word) => word !== false).join(', '),
    ]);
    say(stdout, table(['checkpoint', 'after', 'size', ''], rows));
  }
  return 0;
}

/** `2 rounds`, `2 rounds, 3 games of the next`, `1 epoch, 40 samples of the next`, `30 updates` */
function momentText({ unit, over, begun }: CheckpointMoment): string {
  const whole = counted(over, unit);
  return begun === 0
    ? whole
    : `${whole}, ${counted(begun, unit === 'round' ? 'game' : 'sample')} of the next`;
}

export const ckptInspectCommand = command({
  options: { json },
  run: (values, [first, second, more], io) => {
    if (more !== undefined)
      throw new EmacError('usage', `ckpt inspect: takes one or two checkpoints, got also ${more}`);
    if (second === undefined) inspect(first!, values, io);
    else diff([first!, second], values, io);
    return Promise.resolve(0);
  },
});

function inspect(name: string, { json: isJson }: { json: boolean }, { stdout }: Io): void {
  const { state, manifest, ...parameters } = loaded(name);
  const tensors = [...parametersIn(parameters)].map(([tensor, { shape, data }]) => {
    return { name: tensor, shape, norm: Math.sqrt(data.reduce((sum, value) => sum + value * value, 0)) };
  });
  const content = {
    baseModel: manifest.baseModel,
    games: manifest.games.length,
    tensors,
    policy: state['policy'],
  };
  if (isJson) say(stdout, JSON.stringify(content));
  else {
    say(stdout, `base model ${content.baseModel}, trained on ${content.games} games`);
    say(
      stdout,
      table(
        ['tensor', 'shape', 'norm'],
        tensors.map((each) => [each.name, each.shape.join(' × '), each.norm.toPrecision(6)]),
      ),
    );
    say(stdout, `policy: ${JSON.stringify(content.policy)}`);
  }
}

/** Returns 0, or 65 for a damaged checkpoint. */
function verify(run: string, { json: isJson }: { json: boolean }, { stdout, stderr }: Io): number {
  const checked = listCheckpoints(run).map(({ name, folder }) => ({ name, fault: checkpointFault(folder) }));
  if (isJson) say(stdout, JSON.stringify(checked));
  else
    for (const { name, fault } of checked)
      say(fault === null ? stdout : stderr, `${name}: ${fault ?? 'complete'}`);
  return checked.every(({ fault }) => fault === null) ? 0 : exitCodes.data;
}

function diff(
  [first, second]: readonly [first: string, second: string],
  { json: isJson }: { json: boolean },
  { stdout }: Io,
): void {
  const differences = parameterDifferences(parametersIn(loaded(first)), parametersIn(loaded(second)));
  // JSON has no infinity, and null would mean "not alike"
  const spelled = (_key: string, value: unknown) => (value === Infinity ? 'Infinity' : value);
  if (isJson) say(stdout, JSON.stringify(differences, spelled));
  else {
    const number = (value: number | null) => (value === null ? 'not alike' : value.toExponential(3));
    const rows = differences.map(({ name, largest, relative }) => [name, number(largest), number(relative)]);
    say(stdout, table(['tensor', 'largest difference', 'relative'], rows));
  }
}

export const ckptPruneCommand = command({
  options: {
    keep: integer([1, 999_999_999], {
      help: 'number of newest checkpoints to keep, beside the latest and the best',
      default: 1,
    }),
    json,
  },
  run: ({ keep, json: isJson }, [run], io) => {
    const removed = pruneCheckpoints(runNamed(run!), keep);
    const text = removed.length === 0 ? 'nothing to remove' : `removed: ${removed.join(', ')}`;
    say(io.stdout, isJson ? JSON.stringify({ removed }) : text);
    return Promise.resolve(0);
  },
});

export const ckptExportCommand = command({
  options: {
    out: requiredText(
      'new *.safetensors file, or new folder with --whole, --layout or an adapter; --layout also takes an empty folder',
    ),
    whole: toggle('write a whole Hugging Face model folder with the trained projection and a model card'),
    model: text({
      help: '--whole, --layout: the trained model',
      default: null,
      defaultText: 'the model that the run names',
    }),
    link: toggle('--whole: hard-link unchanged weights if possible, to save disk space'),
    layout: choice(['published'], {
      help: 'write the whole run in the layout of published code. bc, dpo: emma_checkpoint_N.pth for each round, and logs; ppo: VLA-RL’s step_N/ and best_return/, with adapter, tokenizers and metadata.json',
      default: null,
    }),
    json,
  },
  run: async (values, [name], io) => {
    const { out, whole, model, link, layout, json: isJson } = values;
    if (!whole && (link || (model !== null && layout === null)))
      throw new EmacError('usage', `${link ? '--link' : '--model'}: belongs to --whole, which was not given`);
    if (layout !== null) {
      if (whole)
        throw new EmacError(
          'usage',
          '--layout: writes adapters, but --whole writes a model; give one of the two',
        );
      const { exportPublished } = await import('./model/export-model.ts');
      const exported = exportPublished({ run: runNamed(name!), out, model });
      say(io.stdout, isJson ? JSON.stringify(exported) : publishedText(exported));
      return 0;
    }
    if (whole) {
      const { exportModel } = await import('./model/export-model.ts');
      const exported = await exportModel({ checkpoint: runNamed(name!), out, model, links: link });
      say(io.stdout, isJson ? JSON.stringify(exported) : exportedText(exported));
      return 0;
    }
    if (isThere(out)) throw new EmacError('cannot-create', `--out ${out}: already exists; give another name`);
    const { projection, beside } = loaded(name!);
    createFolder(dirname(out));
    if (beside.size > 0) {
      const { exportPolicy } = await import('./model/export-model.ts');
      const files = exportPolicy(runNamed(name!), out);
      say(io.stdout, isJson ? JSON.stringify({ folder: out, files }) : `${out}: ${files.join(', ')}`);
      return 0;
    }
    writeFileAtomic(out, encodeFloats(projection));
    const tensors = [...projection.keys()];
    say(io.stdout, isJson ? JSON.stringify({ file: out, tensors }) : `${out}: ${tensors.join(', ')}`);
    return 0;
  },
});

function exportedText({ folder, changed, leftOut }: ExportedModel): string {
  const made = `${folder}: a model folder, with the projection in ${changed.join(' and ')}`;
  const skipped = `skipped, as the model does not need them: ${leftOut.join(', ')}`;
  return leftOut.length === 0 ? made : `${made}\n${skipped}`;
}

function publishedText({ folder, steps, best, own }: PublishedRun): string {
  if (own.length === 0) return `${folder}: ${steps.join(', ')}`;
  const last = best === null ? 'no best_return yet' : `best_return (${best})`;
  return [
    `${folder}: ${[...steps, last].join(', ')}`,
    `beside the adapter and metadata.json, for emac only: ${own.join(', ')}`,
  ].join('\n');
}
