/** Environments that other programs serve over OpenEnv: `openenv:ws://127.0.0.1:8000`, with actions in words. */
import { EmacError, type EnvironmentKind } from '@emac/core';
import { openEnvPrefix } from '@emac/settings';
import { moduleSpeech } from './module-speech.ts';
import { triedOut } from './module-trial.ts';

export const openEnvKind: EnvironmentKind = {
  name: 'openenv',
  about: `any environment that another program serves over OpenEnv: --env ${openEnvPrefix}ws://127.0.0.1:8000`,
  ids: [],
  policy: 'emma-tiny',
  idOf: (name) => (name.startsWith(openEnvPrefix) ? name : null),
  async open(id, { maxSteps, source = null, heldOut = null, palette = null }) {
    const setting = source ?? heldOut ?? palette;
    if (setting !== null)
      throw new EmacError(
        'usage',
        `${id}: has the tasks and pictures of its server, got ${setting}; leave it out`,
      );
    const { openOpenEnv, readToken } = await import('@emac/bridge');
    const { EMAC_TOKEN_FILE: file } = process.env;
    const remote = await openOpenEnv(id, { token: file ? readToken(file) : null, maxSteps });
    try {
      // a field that is read wrongly is found before anything is written
      return await triedOut(id, { ...remote, speech: (policy, form) => moduleSpeech(policy, form, null) });
    } catch (thrown) {
      await remote.close();
      throw thrown;
    }
  },
};
