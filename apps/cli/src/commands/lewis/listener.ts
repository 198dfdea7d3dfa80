/** `emac lewis listener`: serves a model that scores how well a description fits a picture, like the published service. */
import { listenerService } from '@emac/bridge';
import { openLewisListener } from '@emac/experiment';
import { command } from '../../calling/command.ts';
import { lewisEssentials, lewisOptions, serveLewis } from './service.ts';

export const lewisListenerCommand = command({
  options: lewisOptions({ who: 'Listener', port: 9000 }),
  essentials: lewisEssentials,
  run: (values, _words, io) =>
    serveLewis(values, io, {
      who: 'Listener',
      open: openLewisListener,
      service: (listener, options) => listenerService({ ...options, listener }),
    }),
});
