/** `emac lewis speaker`: serves a model that describes pictures, like the published service. */
import { speakerService } from '@emac/bridge';
import { openLewisSpeaker } from '@emac/experiment';
import { command } from '../../calling/command.ts';
import { lewisEssentials, lewisOptions, serveLewis } from './service.ts';

export const lewisSpeakerCommand = command({
  options: lewisOptions({ who: 'Speaker', port: 9001 }),
  essentials: lewisEssentials,
  run: (values, _words, io) =>
    serveLewis(values, io, {
      who: 'Speaker',
      open: openLewisSpeaker,
      service: (speaker, options) => speakerService({ ...options, speaker }),
    }),
});
