/** `emac doctor`: whether this machine is ready, and the backends in use. */
import { exitCodes } from '@emac/core';
import { findings } from '../doctor/checks.ts';
import { thisMachine } from '../doctor/machine.ts';
import { toggle } from '../options/option.ts';
import { say } from '../terminal/io.ts';
import { version } from '../version.ts';
import { command } from '../calling/command.ts';

const marks = { fine: 'ok', note: '--', fault: 'NO' } as const;

export const doctorCommand = command({
  options: { json: toggle('print the findings as JSON on standard output') },
  /** returns 0, or 69 for a missing part */
  run: async ({ json }, _words, io) => {
    const found = await findings(thisMachine(io));
    if (json) say(io.stdout, JSON.stringify({ emac: version, findings: found }));
    else {
      say(io.stdout, `emac ${version}`);
      for (const { name, state, said } of found) say(io.stdout, `${marks[state]}  ${name}: ${said}`);
    }
    return found.some(({ state }) => state === 'fault') ? exitCodes.unavailable : 0;
  },
});
