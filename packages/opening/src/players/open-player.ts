/** Opens a player by its name in an environment. */
import type { OpenedKind, Random } from '@emac/core';
import type { LanguageModelConfig } from '@emac/settings';
import type { Host } from '../host.ts';
import type { EnvironmentPlayer } from './environment-player.ts';
import { modulePlayer } from './module-player.ts';
import type { PlayerName } from './policy-name.ts';
import { personPlayer, randomPlayer, scriptedInEnvironment, servedPlayer } from './simple-players.ts';
import type { ServiceMessages } from './service-player.ts';

export interface PlayerOptions {
  readonly opened: OpenedKind;
  /** settings of requests to a service */
  readonly languageModel: LanguageModelConfig;
  /** of a service's answers */
  readonly temperature: number;
  /** of waiting times between requests */
  readonly random: Random;
  /** what a service is sent */
  readonly messages: ServiceMessages;
}

/** The caller disposes of it. Errors: `usage` for a player without meaning there; those of a module and of a service. */
export async function openPlayerIn(
  name: PlayerName,
  options: PlayerOptions,
  host: Pick<Host, 'env' | 'now' | 'listener' | 'person'>,
): Promise<EnvironmentPlayer> {
  switch (name.kind) {
    case 'random':
      return randomPlayer(options.opened);
    case 'scripted':
      return scriptedInEnvironment(options.opened);
    case 'human':
      return personPlayer(host.person);
    case 'module': {
      const said = (text: string) => host.listener?.note?.(text.trimEnd());
      return modulePlayer(name.path, { env: host.env, said });
    }
    case 'served':
      return servedPlayer(name.url, host);
    case 'service':
      return (await import('./service-player.ts')).servicePlayer(name.model, options, host);
  }
}
