/** `emac completion`: a shell script that completes commands, flags, values and names of runs. */
import { EmacError } from '@emac/core';
import { bashScript } from '../completion/bash.ts';
import { completed } from '../completion/completed.ts';
import { fishScript } from '../completion/fish.ts';
import { zshScript } from '../completion/zsh.ts';
import { say } from '../terminal/io.ts';
import { command, type NamedCommand } from '../calling/command.ts';

const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript };

const howTo = `Into a file, once, and again after an update:
  emac completion bash > ~/.local/share/bash-completion/completions/emac
  emac completion zsh > ~/.zfunc/_emac       (with fpath+=~/.zfunc before compinit in ~/.zshrc)
  emac completion fish > ~/.config/fish/completions/emac.fish`;

/** `commands`: all commands. */
export const completionCommand = (commands: readonly NamedCommand[]) =>
  command({
    options: {},
    epilogue: () => howTo,
    run: async (_values, [shell], io) => {
      const name = Object.keys(scripts).find((each) => each === shell) as keyof typeof scripts | undefined;
      if (name === undefined)
        throw new EmacError('usage', `${shell}: must be ${Object.keys(scripts).join(' or ')}`);
      say(io.stdout, scripts[name](await completed(commands)).trimEnd());
      return 0;
    },
  });
