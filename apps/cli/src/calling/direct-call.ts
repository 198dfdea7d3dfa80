/** The note of `--help` on long runs: npm's npx does not pass every signal and exit status on. */

/** A paragraph at the end of a help page. */
export const directCall =
  'For long runs and schedulers call node_modules/.bin/emac itself: it receives signals, and you get its exit status. ' +
  'npx emac is for a first try: npx may leave the run behind at SIGTERM, and turn 75 into 130 at Ctrl-C. ' +
  'emac stop RUN stops a run, however it was started.';
