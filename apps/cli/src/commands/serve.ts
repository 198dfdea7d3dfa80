/** `emac serve`: serves a trained policy. SIGTERM and Ctrl-C finish open requests, then end it. */
import { basename } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { agentService, defaultLimits, longestStall, measures, refused, type ServedAgent } from '@emac/bridge';
import { EmacError, Random } from '@emac/core';
import { openAgent, openChat, readsMessages, type Agent, type ChatModel } from '@emac/experiment';
import { actingIn } from '@emac/opening';
import { readConversation, readEpisode } from '@emac/prompt';
import { lewisRoles, type EvaluationConfig } from '@emac/settings';
import { givenEnvironment } from '../options/given-code.ts';
import { configOption, layered } from '../options/layers.ts';
import { choice, integer, text, toggle } from '../options/option.ts';
import { runNamed } from '../options/run-name.ts';
import { serveSettings } from '../settings/serve-settings.ts';
import { listeningAs, serverOptions } from '../options/server-options.ts';
import { command } from '../calling/command.ts';
import { servePage } from './serve-page.ts';
import { serveUntilStopped } from './serving.ts';

export const serveCommand = command({
  options: {
    ...serverOptions(8700),
    name: text({
      help: 'model name for clients',
      default: null,
      defaultText: 'the last part of --ckpt',
    }),
    batch: integer([1, 1024], { help: 'most requests in one batch', default: 64 }),
    queue: integer([1, 100_000], {
      help: 'most open and waiting requests; further ones get 503',
      default: defaultLimits.requests,
    }),
    env: text({
      help: 'environment of prompts and answers, or a file of your own; a run knows its own',
      default: null,
      defaultText: 'the run’s environment, else ALFWorld',
    }),
    messages: choice(['episode', 'chat'], {
      help: 'episode: observations and commands become the prompt of training; chat: messages and tools as they are, through the chat template',
      default: null,
      defaultText: 'chat for a run that learned from messages, as in --agent, else episode',
    }),
    page: toggle('play its games in a browser in place of serving it: watch, take over, ask again'),
    before: text({
      help: 'with --page: a second policy whose probabilities stand beside the first one’s, such as untouched',
      default: null,
    }),
    labels: text({
      help: 'with --page: folder for the commands and choices of whoever plays, as datasets for emac train',
      default: null,
      defaultText: 'they are not kept',
    }),
    partner: text({
      help: 'with --page of a speaker or listener of the Lewis game: the other one, as --listener and --speaker of training',
      default: null,
      defaultText: 'LISTENER_URL or SPEAKER_URL, else the untrained model',
    }),
    board: text({
      help: 'with --page: address of the run on the board, to which the page links back',
      default: null,
    }),
    games: text({
      help: 'with --page in ALFWorld: games to play: builtin:train, builtin:valid_seen, a *.tw-pddl file, or a folder',
      default: null,
      defaultText: 'builtin:valid_unseen',
    }),
    ...configOption,
    ...serveSettings,
  },
  essentials: [
    'ckpt',
    'env',
    'page',
    'before',
    'labels',
    'partner',
    'games',
    'board',
    'messages',
    'port',
    'host',
    'allow',
    'name',
    'batch',
    'queue',
    'config',
  ],
  run: async (values, words, io) => {
    const { given } = layered<EvaluationConfig>(serveSettings, { values, words, env: io.env });
    const where = listeningAs(values, io.env);
    const { ckpt, ...options } = given;
    if (values.page) return servePage({ ...values, ckpt }, io);
    for (const flag of ['before', 'labels', 'partner', 'games', 'board'] as const)
      if (values[flag] !== null)
        throw new EmacError('usage', `--${flag}: belongs to --page; add it, or leave --${flag} out`);
    const run = runNamed(ckpt);
    const name = values.name ?? basename(run);
    requireServed(run, values.env);
    const code = await givenEnvironment(values.env);
    const measured = measures();
    return serveUntilStopped(
      {
        limit: values,
        where: {
          ...where,
          onRefused: ({ path, status }) => measured.refused(path, status),
          limits: { requests: values.queue },
        },
        opening: () => refused(opening),
        open: async (onFault, memory) => {
          const messages = values.messages ?? (readsMessages(run) ? 'chat' : 'episode');
          const opened = messages === 'chat' ? openChat : openAgent;
          const asked = { ...options, env: values.env };
          const agent = await opened(run, asked, {
            env: io.env,
            ...code,
            ...(memory && { memory }),
          });
          const delays = monitorEventLoopDelay();
          delays.enable();
          const { fetch } = agentService({
            agent: served(agent, name),
            batch: values.batch,
            random: Random.fromSeed('serve'),
            now: io.now,
            measured,
            longestStall: longestStall(delays),
            onFault,
          });
          const line = (address: string) => `serving ${name}: ${address}/v1`;
          return { fetch, line, dispose: () => agent.dispose() };
        },
      },
      io,
    );
  },
});

/** Errors: `usage` for a Lewis speaker or listener, because each has its own service; errors of the checkpoint. */
function requireServed(run: string, asked: string | null): void {
  const { env } = actingIn(run, asked);
  const role = lewisRoles.find((each) => env === `lewis/${each}`);
  if (role !== undefined)
    throw new EmacError(
      'usage',
      `--ckpt ${run}: was trained as a ${role} of the Lewis game; serve it with emac serve --role ${role} --ckpt ${run}`,
    );
}

const opening = {
  status: 503,
  code: 'opening',
  message: 'The model is loading; try again later.',
  headers: { 'retry-after': '5' },
};

function served(agent: Agent | ChatModel, name: string): ServedAgent {
  const { student, sampling } = agent;
  const common = { name, policy: student, sampling, tokenTexts: student.tokenTexts };
  if (!('command' in agent)) return { ...common, chat: agent.question };
  return {
    ...common,
    admissibleOnly: agent.form.admissibleOnly,
    question: agent.question,
    command: agent.command,
    readMessages: readConversation,
    readText: readEpisode,
  };
}
