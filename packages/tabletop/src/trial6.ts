import { handWords, tabletopByWords } from './index.ts';
const w = tabletopByWords('tabletop/'+process.argv[2]); w.reset(0);
for (let i = 0; i < 130; i++) { const a = w.expert(); w.step(a); const h = w.table.scene().hand; console.log(i, handWords[a], h.x.toFixed(3), h.y.toFixed(3), h.z.toFixed(3), h.turn[2].toFixed(2), h.opening.toFixed(3), h.holds,w.table.expert().map(x=>x.toFixed(3)).join(' ')); }
