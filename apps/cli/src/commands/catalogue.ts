/** Every command, in the order of `emac --help`. */
import { type NamedCommand, settingWords } from '../calling/command.ts';
import { typedValue } from '../calling/typed-value.ts';

export const catalogue: readonly NamedCommand[] = [
  {
    name: 'train',
    summary:
      'train a policy: --method bc, dpo, sft, ppo, grpo and others, in any environment or on a dataset',
    argument: settingWords,
    load: async (argv) => (await import('./training/train.ts')).trainCommand(argv),
  },
  {
    name: 'methods',
    summary: 'list the training methods of emac train --method and their required flags',
    load: async () => (await import('./methods.ts')).methodsCommand,
  },
  {
    name: 'sweep',
    summary: 'train with many settings and seeds from one file, resumable, into one table and report',
    argument: { name: 'file', help: 'YAML file: command, grid or random, seeds' },
    load: async () => (await import('./training/sweep.ts')).sweepCommand,
  },
  {
    name: 'eval',
    summary:
      'evaluate a trained policy in games or on a dataset; --env lewis: speaker and listener of the Lewis game',
    argument: settingWords,
    load: async (argv = []) =>
      typedValue(argv, 'env') === 'lewis'
        ? (await import('./lewis/eval.ts')).lewisEvalCommand
        : (await import('./evaluation/eval.ts')).evalCommand,
  },
  {
    name: 'serve',
    summary:
      'serve a trained policy over HTTP (OpenAI-compatible chat and an agent API); --role speaker or listener: of the Lewis game',
    argument: settingWords,
    load: async (argv = []) => {
      const role = (['listener', 'speaker'] as const).find((each) => typedValue(argv, 'role') === each);
      return role
        ? (await import('./lewis/service.ts')).lewisServeCommand(role)
        : (await import('./serve.ts')).serveCommand;
    },
  },
  {
    name: 'runs',
    summary: 'list runs, newest first: method, environment, policy, updates, success, time, state',
    argument: { name: 'folder', help: 'folder of the runs', otherwise: 'runs' },
    load: async () => (await import('./runs.ts')).runsCommand,
  },
  {
    name: 'report',
    summary: 'write one HTML file of runs or evaluations: results, curves, episodes in pictures',
    argument: { name: 'runs', help: 'folders of runs or evaluations', isMany: true },
    load: async () => (await import('./report.ts')).reportCommand,
  },
  {
    name: 'board',
    summary: 'show the runs in a folder in a browser, live while they train',
    argument: { name: 'folder', help: 'folder of the runs', otherwise: 'runs' },
    load: async () => (await import('./board.ts')).boardCommand,
  },
  {
    name: 'stop',
    summary: 'save a run on this machine and stop it',
    argument: { name: 'run', help: 'the run folder' },
    load: async () => (await import('./training/stop.ts')).stopCommand,
  },
  {
    name: 'collect',
    summary: 'make a dataset from the expert’s labels in games or an environment',
    argument: settingWords,
    load: async () => (await import('./collection/collect.ts')).collectCommand,
  },
  {
    name: 'data check',
    summary: 'check a dataset: forms, duplicates, records that a model cannot learn from',
    argument: { name: 'data', help: 'a folder, a file or a pattern such as "data/*.jsonl"' },
    load: async () => (await import('./data/examine.ts')).dataCheckCommand,
  },
  {
    name: 'data stats',
    summary: 'count the records and tokens of a dataset',
    argument: { name: 'data', help: 'a folder, a file or a pattern such as "data/*.jsonl"' },
    load: async () => (await import('./data/examine.ts')).dataStatsCommand,
  },
  {
    name: 'data view',
    summary: 'show a record as a model reads it, the tokens that are learned between ⟦ and ⟧',
    argument: { name: 'data', help: 'a folder, a file or a pattern such as "data/*.jsonl"' },
    load: async () => (await import('./data/examine.ts')).dataViewCommand,
  },
  {
    name: 'play',
    summary: 'play a game by hand or from a file, or watch an agent play it',
    argument: {
      name: 'game',
      help: 'a *.tw-pddl file, a folder with one, e.g. builtin:valid_unseen/0, or an environment, e.g. gym_cards/EZPoints-v0, MiniGrid-DoorKey-6x6-v0',
    },
    load: async () => (await import('./play.ts')).playCommand,
  },
  {
    name: 'world',
    summary: 'play games for a run that waits with --world http',
    load: async () => (await import('./world.ts')).worldCommand,
  },
  {
    name: 'worker',
    summary: 'work for runs, evaluations and collections that use --queue',
    load: async () => (await import('./worker.ts')).workerCommand,
  },
  {
    name: 'workers',
    summary: 'show the workers of a queue, and its running and waiting jobs',
    load: async () => (await import('./workers.ts')).workersCommand,
  },
  {
    name: 'doctor',
    summary: 'check this machine: memory, disk, libraries, model files',
    load: async () => (await import('./doctor.ts')).doctorCommand,
  },
  {
    name: 'completion',
    summary: 'print a shell-completion script',
    argument: { name: 'shell', help: 'bash, zsh or fish' },
    load: async () => (await import('./completion.ts')).completionCommand,
  },
  {
    name: 'env ls',
    summary:
      'list the environments: tasks, actions, limits, rewards, players; of one also its first observation',
    argument: {
      name: 'env',
      help: 'an environment, a game, or your own: a file, a folder, a package',
      otherwise: '',
    },
    load: async () => (await import('./env/list.ts')).envListCommand,
  },
  {
    name: 'env new',
    summary: 'write the package of your own environment: tasks, steps, a player, tests',
    argument: { name: 'name', help: 'the folder to create, whose name is the package’s' },
    load: async () => (await import('./env/new.ts')).envNewCommand,
  },
  {
    name: 'env check',
    summary:
      'check an environment: equal seeds, tasks, limits, rewards, observations, speed; or games: walkthrough and shortest plan',
    argument: {
      name: 'env',
      help: 'an environment, your own (a file, a folder, a package), a *.tw-pddl file, or a folder searched for them',
    },
    load: async () => (await import('./env/check.ts')).envCheckCommand,
  },
  {
    name: 'env serve',
    summary: 'serve an environment to any client of OpenEnv: --openenv',
    argument: { name: 'env', help: 'an environment, or your own: a file, a folder, a package' },
    load: async () => (await import('./env/serve.ts')).envServeCommand,
  },
  {
    name: 'env bench',
    summary: 'play policies in all environments and print one table',
    load: async () => (await import('./env/bench.ts')).envBenchCommand,
  },
  {
    name: 'config show',
    summary: 'print every setting emac train --method … would use, with its origin',
    argument: settingWords,
    load: async (argv) => (await import('./config-show.ts')).configShow(argv),
  },
  {
    name: 'preset',
    summary: 'list the presets, or print the settings of one as a file for --config',
    argument: { name: 'preset', help: 'its name; without one the list', otherwise: '' },
    load: async () => (await import('./preset.ts')).presetCommand,
  },
  {
    name: 'push',
    summary:
      'put a trained policy or a model folder on the Hugging Face hub; without --send: show what it would send',
    argument: { name: 'policy', help: 'run, RUN@best or model folder, then ORGANIZATION/NAME', isMany: true },
    load: async () => (await import('./push.ts')).pushCommand,
  },
  {
    name: 'ckpt ls',
    summary: 'list the checkpoints of a run; --verify: check every file',
    argument: { name: 'run', help: 'the run' },
    load: async () => (await import('./ckpt.ts')).ckptListCommand,
  },
  {
    name: 'ckpt inspect',
    summary: 'print the contents of a checkpoint, or compare the parameters of two',
    argument: {
      name: 'checkpoints',
      help: 'one or two, each a run, RUN@best, or a checkpoint folder',
      isMany: true,
    },
    load: async () => (await import('./ckpt.ts')).ckptInspectCommand,
  },
  {
    name: 'ckpt prune',
    summary: 'delete old checkpoints of a run that is not running',
    argument: { name: 'run', help: 'the run' },
    load: async () => (await import('./ckpt.ts')).ckptPruneCommand,
  },
  {
    name: 'ckpt export',
    summary: 'export the trained parameters of a checkpoint as one file, or as a model folder',
    argument: { name: 'checkpoint', help: 'a run, RUN@best, or a checkpoint folder' },
    load: async () => (await import('./ckpt.ts')).ckptExportCommand,
  },
  {
    name: 'games list',
    summary: 'list games with their task types (files are read, not played)',
    load: async () => (await import('./games/list.ts')).gamesListCommand,
  },
  {
    name: 'games generate',
    summary: 'make new games, each with its walkthrough',
    load: async () => (await import('./games/generate.ts')).gamesGenerateCommand,
  },
  {
    name: 'games fetch',
    summary: "download ALFWorld's games or an archive URL; lists known archives without a name",
    argument: {
      name: 'archive',
      help: 'a published archive, or the address of a zip or tar.gz file',
      otherwise: '',
    },
    load: async () => (await import('./games/fetch.ts')).gamesFetchCommand,
  },
  {
    name: 'model check',
    summary:
      "print a model's family, parts, types, memory and missing files, without loading it; --compare: with reference numbers",
    argument: {
      name: 'model',
      help: 'emma-tiny, rl-tiny, lewis-tiny, vla-tiny, a model folder, or a JSON file naming its parts',
    },
    load: async () => (await import('./model/check.ts')).modelCheckCommand,
  },
  {
    name: 'model fetch',
    summary: 'make a model folder: from the Hugging Face hub, an archive by its URL, or a GGUF file',
    argument: {
      name: 'model',
      help: 'ORGANIZATION/NAME, the address of a zip or tar.gz file, or FILE.gguf; then the folder to create, as with --out',
      isMany: true,
    },
    load: async () => (await import('./model/fetch.ts')).modelFetchCommand,
  },
  {
    name: 'model export',
    summary:
      'merge an adapter into its model: a model folder, or of a text model a GGUF file for llama.cpp or Ollama',
    argument: {
      name: 'places',
      help: 'RUN|FOLDER OUT.gguf: a run or a model folder, and the file to create; BASE ADAPTER OUT: a model, an adapter as PEFT writes it or a run that trained one, and the folder to create',
      isMany: true,
    },
    load: async () => (await import('./model/export.ts')).modelExportCommand,
  },
];

/** Earlier names of commands, and the words that they stand for: those before the first flag, then the flags. */
export const earlierNames: Readonly<Record<string, string>> = {
  sft: 'train --method sft',
  ppo: 'train --method ppo',
  grpo: 'train --method grpo',
  envs: 'env ls',
  'env show': 'env ls',
  'games verify': 'env check',
  'model import': 'model fetch',
  'model merge': 'model export',
  'backbone compare': 'model check --compare',
  'ckpt diff': 'ckpt inspect',
  'lewis eval': 'eval --env lewis',
  'lewis listener': 'serve --role listener',
  'lewis speaker': 'serve --role speaker',
  'preset ls': 'preset',
  'preset cat': 'preset',
  'preset cp': 'preset',
  'ckpt verify': 'ckpt ls --verify',
};
