/** `emac env serve`: serves an environment to any client of OpenEnv. SIGTERM and Ctrl-C finish the actions in progress, then end it. */
import { openEnvService, refused, type Listening } from '@emac/bridge';
import { EmacError, type EnvironmentKind } from '@emac/core';
import { kindOf } from '@emac/opening';
import { gamesText } from '@emac/settings';
import { givenEnvironment } from '../../options/given-code.ts';
import { choice, integer, text, toggle, type Values } from '../../options/option.ts';
import { listeningAs, serverOptions } from '../../options/server-options.ts';
import { command } from '../../calling/command.ts';
import { version } from '../../version.ts';
import { serveUntilStopped } from '../serving.ts';

const options = {
  openenv: toggle('speak the protocol of OpenEnv; required'),
  ...serverOptions(8000),
  sessions: integer([1, 512], {
    help: 'sessions at a time; further ones replace an idle one, or are refused',
    default: 64,
  }),
  observe: choice(['both', 'text'], {
    help: 'what observations hold; text: no pictures, which is faster',
    default: 'both',
  }),
  games: text({
    help: `alfworld: tasks of split train: ${gamesText}`,
    default: null,
    defaultText: 'builtin:train',
  }),
  'eval-on': text({
    help: 'alfworld: tasks of split test, likewise',
    default: null,
    defaultText: 'builtin:valid_unseen',
  }),
  'max-steps': integer([1, 10_000], {
    help: 'step limit of an episode',
    default: null,
    defaultText: 'the environment’s',
  }),
};

type ServeValues = Values<typeof options>;

export const envServeCommand = command({
  options,
  run: async (values, [name], io) => {
    if (!values.openenv)
      throw new EmacError('usage', 'env serve: speaks the protocol of OpenEnv alone; add --openenv');
    const { environment = null } = await givenEnvironment(name);
    const kind = kindOf(name!, environment);
    const opened = await openServed(kind, name!, values);
    const service = openEnvService({
      kind: opened,
      about: kind.about,
      version,
      sessions: values.sessions,
      observe: values.observe,
      now: io.now,
    });
    return serveUntilStopped(
      {
        limit: values,
        where: { ...listeningAs(values, io.env), sockets: service.sockets },
        opening: () => refused({ status: 503, code: 'opening', message: 'The server is starting.' }),
        open: async () => ({
          fetch: service.fetch,
          line: (address: Listening['address']) => `serving ${opened.id}: ${address}`,
          async dispose() {
            await service.close();
            await opened.close?.();
          },
        }),
      },
      io,
    );
  },
});

/** Errors: `usage` for a flag that the environment does not have; those of opening it. */
function openServed(kind: EnvironmentKind, name: string, values: ServeValues) {
  const { games: source, 'eval-on': heldOut, 'max-steps': maxSteps } = values;
  return kind.open(kind.idOf(name)!, { maxSteps, source, heldOut });
}
