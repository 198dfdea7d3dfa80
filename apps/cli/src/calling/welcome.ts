/** The text of `emac` alone: the first commands to type. */
export const welcome = `EMAC teaches a vision-language model to act in household tasks. A small model is in the box.

Try this first, in this order; each of the two trainings takes about three minutes on two cores:

  emac train --phase bc                 watch it learn to play, and see success before and after
  emac train --phase dpo --ref latest   let it prefer the expert's commands to its own mistakes
  emac board                            see runs, curves and every episode in pictures, in your browser
  emac eval --ckpt latest               play games that it never trained on
  emac play builtin:valid_unseen/0      play one yourself

emac runs lists what you trained, emac --help all commands, emac COMMAND --help its flags.`;
