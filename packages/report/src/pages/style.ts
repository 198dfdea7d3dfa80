/** The look of report and board: one column that fits a phone, light or dark as the reader's system is. */
export const style = `
:root { color-scheme: light dark; --ink: #1b1f24; --soft: #59636e; --paper: #ffffff; --panel: #f5f6f8; --line: #d0d5dc;
  --good: #1a6b34; --bad: #b3261e; --link: #0b57c2; --c0: #1f5fbf; --c1: #c2410c; --c2: #1a7f4b; --c3: #7a3fb5; --c4: #8a6100; --c5: #006d8f; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8eaed; --soft: #a4adb8; --paper: #14171b; --panel: #1e2329; --line: #3a424c;
  --good: #6fd08c; --bad: #ff8a80; --link: #8ab4f8; --c0: #7fb0ff; --c1: #ff9d66; --c2: #63d297; --c3: #c79bff; --c4: #e3b341; --c5: #5cc8e6; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 72rem; padding: 1rem; font: 1rem/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); }
h1 { font-size: 1.5rem; margin: 0 0 .5rem; overflow-wrap: anywhere; } h2 { font-size: 1.2rem; margin: 2rem 0 .5rem; } h3 { font-size: 1rem; margin: 1rem 0 .25rem; }
a { color: var(--link); } p { max-width: 46rem; } .soft { color: var(--soft); }
pre { background: var(--panel); padding: .75rem; overflow: auto; white-space: pre-wrap; overflow-wrap: anywhere; }
.scroll { overflow-x: auto; } .scroll:focus-visible, summary:focus-visible, a:focus-visible, input:focus-visible, select:focus-visible, button:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
table { border-collapse: collapse; } th, td { padding: .25rem .75rem .25rem 0; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 22rem), 1fr)); gap: 1rem; }
figure { margin: 0; min-width: 0; background: var(--panel); padding: .75rem; } figcaption { font-size: .9rem; } .plot { min-height: 200px; }
#episodes > details { content-visibility: auto; contain-intrinsic-size: auto 2.5rem; }
details { border-bottom: 1px solid var(--line); } summary { cursor: pointer; padding: .4rem 0; overflow-wrap: anywhere; }
.won { color: var(--good); font-weight: 600; } .lost { color: var(--bad); font-weight: 600; }
.strip { display: flex; gap: .75rem; overflow-x: auto; padding: .25rem 0 1rem; list-style: none; margin: 0; }
.strip > li { flex: 0 0 15rem; background: var(--panel); padding: .5rem; font-size: .85rem; border-top: 4px solid transparent; }
.strip > li.parts { border-top-color: var(--bad); } .strip img { width: 100%; aspect-ratio: 1; image-rendering: pixelated; background: var(--line); display: block; }
dl { margin: .25rem 0 0; } dt { font-weight: 600; color: var(--soft); } dd { margin: 0 0 .25rem; overflow-wrap: anywhere; white-space: pre-wrap; }
table.credits td.words { min-width: 12rem; max-width: 24rem; overflow-wrap: anywhere; white-space: pre-wrap; font-size: .85rem; }
.bar { display: block; position: relative; width: 6rem; height: .4rem; margin-left: auto; background: linear-gradient(90deg, var(--panel) 50%, var(--line) 50%, var(--line) calc(50% + 1px), var(--panel) 0); }
.bar i { position: absolute; top: 0; bottom: 0; } .bar .above { left: 50%; background: var(--good); } .bar .below { right: 50%; background: var(--bad); }
form.filter { display: flex; flex-wrap: wrap; gap: .75rem; align-items: end; margin: .5rem 0; } form.filter label { display: grid; font-size: .9rem; }
input, select, button { font: inherit; color: inherit; background: var(--panel); border: 1px solid var(--line); padding: .3rem .5rem; max-width: 100%; }
`;
