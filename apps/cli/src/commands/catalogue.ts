/** Every command, in the order of `emac --help`. */
import type { NamedCommand } from './command.ts';
import { settingWords } from './setting-words.ts';

export const catalogue: readonly NamedCommand[] = [
  {
    name: 'train',
    summary: 'train the projection or an adapter in ALFWorld games or on a dataset',
    argument: settingWords,
    load: async () => (await import('./train.ts')).trainCommand,
  },
  {
    name: 'methods',
    summary: 'list the methods of emac train --method, and what each needs',
    load: async () => (await import('./methods.ts')).methodsCommand,
  },
  {
    name: 'sft',
    summary: 'fine-tune a vision-language model on a dataset, such as one of emac collect --env',
    argument: settingWords,
    load: async () => (await import('./sft.ts')).sftCommand,
  },
  {
    name: 'ppo',
    summary: 'train a policy by reinforcement (PPO) in card games and grid worlds',
    argument: settingWords,
    load: async () => (await import('./ppo.ts')).ppoCommand,
  },
  {
    name: 'grpo',
    summary: 'train a speaker or a listener of the Lewis game by what the other makes of it (GRPO)',
    argument: settingWords,
    load: async () => (await import('./grpo.ts')).grpoCommand,
  },
  {
    name: 'lewis eval',
    summary: 'count how often a listener understands a speaker, about things that neither was trained on',
    load: async () => (await import('./lewis-eval.ts')).lewisEvalCommand,
  },
  {
    name: 'eval',
    summary: 'play games with a trained policy and count successes, or compare its answers with a dataset',
    argument: settingWords,
    load: async () => (await import('./eval.ts')).evalCommand,
  },
  {
    name: 'serve',
    summary: 'answer requests with a trained policy, over HTTP, as a language model or as an agent',
    argument: settingWords,
    load: async () => (await import('./serve.ts')).serveCommand,
  },
  {
    name: 'lewis listener',
    summary:
      'answer which picture a description means, over HTTP, as the published listener of the Lewis game',
    load: async () => (await import('./lewis-listener.ts')).lewisListenerCommand,
  },
  {
    name: 'lewis speaker',
    summary: 'describe pictures over HTTP, as the published speaker of the Lewis game',
    load: async () => (await import('./lewis-speaker.ts')).lewisSpeakerCommand,
  },
  {
    name: 'report',
    summary:
      'write one HTML file of a run, an evaluation, or several runs: results, curves, episodes in pictures',
    argument: { name: 'runs', help: 'folders of runs or evaluations', isMany: true },
    load: async () => (await import('./report.ts')).reportCommand,
  },
  {
    name: 'board',
    summary: 'show the runs in a folder in a browser, live while they train',
    argument: { name: 'folder', help: 'the folder in which the runs are', otherwise: 'runs' },
    load: async () => (await import('./board.ts')).boardCommand,
  },
  {
    name: 'stop',
    summary:
      'ask a running run of this machine to save itself and stop, wait for it, and say where it stands',
    argument: { name: 'run', help: 'the run folder' },
    load: async () => (await import('./stop.ts')).stopCommand,
  },
  {
    name: 'collect',
    summary: 'play games and write what the expert says as a dataset',
    argument: settingWords,
    load: async () => (await import('./collect.ts')).collectCommand,
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
    summary: 'play games for a run elsewhere that was started with --world http',
    load: async () => (await import('./world.ts')).worldCommand,
  },
  {
    name: 'worker',
    summary: 'play episodes for runs, evaluations and collections elsewhere that were started with --queue',
    load: async () => (await import('./worker.ts')).workerCommand,
  },
  {
    name: 'workers',
    summary: 'show who works for a queue, on what, how far, and what waits',
    load: async () => (await import('./workers.ts')).workersCommand,
  },
  {
    name: 'doctor',
    summary: 'check whether this machine has what is needed',
    load: async () => (await import('./doctor.ts')).doctorCommand,
  },
  {
    name: 'completion',
    summary: 'print a script with which a shell completes commands, flags, values and names of runs',
    argument: { name: 'shell', help: 'bash, zsh or fish' },
    load: async () => (await import('./completion.ts')).completionCommand(catalogue),
  },
  {
    name: 'envs',
    summary: 'list the environments that can be named, with their actions and limits',
    load: async () => (await import('./envs.ts')).envsCommand,
  },
  {
    name: 'config show',
    summary: 'print every setting that emac train --method … would use, and where it comes from',
    argument: settingWords,
    load: async (argv) => (await import('./config-show.ts')).configShow(argv),
  },
  {
    name: 'preset ls',
    summary: 'list the presets',
    load: async () => (await import('./preset.ts')).presetListCommand,
  },
  {
    name: 'preset cat',
    summary: 'print the settings of a preset as a file for --config',
    argument: { name: 'preset', help: 'its name' },
    load: async () => (await import('./preset.ts')).presetCatCommand,
  },
  {
    name: 'preset cp',
    summary: 'write the settings of a preset into a file for --config',
    argument: { name: 'preset', help: 'its name' },
    load: async () => (await import('./preset.ts')).presetCopyCommand,
  },
  {
    name: 'ckpt ls',
    summary: 'list the checkpoints of a run',
    argument: { name: 'run', help: 'the run' },
    load: async () => (await import('./ckpt.ts')).ckptListCommand,
  },
  {
    name: 'ckpt inspect',
    summary: 'print what a checkpoint holds',
    argument: { name: 'checkpoint', help: 'a run, RUN@best, or a checkpoint folder' },
    load: async () => (await import('./ckpt.ts')).ckptInspectCommand,
  },
  {
    name: 'ckpt verify',
    summary: 'check every file of every checkpoint of a run',
    argument: { name: 'run', help: 'the run' },
    load: async () => (await import('./ckpt.ts')).ckptVerifyCommand,
  },
  {
    name: 'ckpt diff',
    summary: 'compare the parameters of two checkpoints',
    argument: { name: 'checkpoints', help: 'two runs or checkpoints', isMany: true },
    load: async () => (await import('./ckpt.ts')).ckptDiffCommand,
  },
  {
    name: 'ckpt prune',
    summary: 'remove old checkpoints of a run that nobody is at work in',
    argument: { name: 'run', help: 'the run' },
    load: async () => (await import('./ckpt.ts')).ckptPruneCommand,
  },
  {
    name: 'ckpt export',
    summary: 'write the trained parameters of a checkpoint as one file, or a whole model folder',
    argument: { name: 'checkpoint', help: 'a run, RUN@best, or a checkpoint folder' },
    load: async () => (await import('./ckpt.ts')).ckptExportCommand,
  },
  {
    name: 'games list',
    summary: 'list games with their task types (files are read, not played)',
    load: async () => (await import('./games-list.ts')).gamesListCommand,
  },
  {
    name: 'games verify',
    summary: 'play the walkthrough and a shortest plan of every game',
    argument: { name: 'path', help: 'a *.tw-pddl file, or a folder searched for them' },
    load: async () => (await import('./games-verify.ts')).gamesVerifyCommand,
  },
  {
    name: 'games generate',
    summary: 'make new games, each with its walkthrough',
    load: async () => (await import('./games-generate.ts')).gamesGenerateCommand,
  },
  {
    name: 'games fetch',
    summary: "bring ALFWorld's published games, or an archive by its address; without a name, list them",
    argument: {
      name: 'archive',
      help: 'a published archive, or the address of a zip or tar.gz file',
      otherwise: '',
    },
    load: async () => (await import('./games-fetch.ts')).gamesFetchCommand,
  },
  {
    name: 'model check',
    summary: "say a model's family, parts, types and memory, and what its folder lacks, without loading it",
    argument: {
      name: 'model',
      help: 'emma-tiny, rl-tiny, lewis-tiny, vla-tiny, a model folder, or a JSON file that names its parts',
    },
    load: async () => (await import('./model-check.ts')).modelCheckCommand,
  },
  {
    name: 'model fetch',
    summary: 'bring a published checkpoint from the Hugging Face hub, or an archive by its address',
    argument: { name: 'model', help: 'ORGANIZATION/NAME, or the address of a zip or tar.gz file' },
    load: async () => (await import('./model-fetch.ts')).modelFetchCommand,
  },
  {
    name: 'model import',
    summary: 'make a model folder from a GGUF file',
    argument: { name: 'places', help: 'FILE.gguf OUT: the file, and the folder that is made', isMany: true },
    load: async () => (await import('./model-import.ts')).modelImportCommand,
  },
  {
    name: 'model export',
    summary: 'write a text model as a GGUF file for llama.cpp or Ollama, a trained adapter merged',
    argument: {
      name: 'places',
      help: 'RUN|FOLDER OUT.gguf: a run or a model folder, and the file that is made',
      isMany: true,
    },
    load: async () => (await import('./model-export.ts')).modelExportCommand,
  },
  {
    name: 'model merge',
    summary: 'write a model folder with a low-rank adapter merged into its weights',
    argument: {
      name: 'folders',
      help: 'BASE ADAPTER OUT: a model, an adapter as PEFT writes it or a run that trained one, and the folder that is made',
      isMany: true,
    },
    load: async () => (await import('./model-merge.ts')).modelMergeCommand,
  },
  {
    name: 'backbone compare',
    summary: 'check the frozen networks against numbers made elsewhere',
    argument: { name: 'dir', help: 'folder with a checkpoint, inputs.safetensors and expected.safetensors' },
    load: async () => (await import('./backbone-compare.ts')).backboneCompareCommand,
  },
];
