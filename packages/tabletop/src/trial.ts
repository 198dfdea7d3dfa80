import { Random } from '@emac/core';
import { startsOf, suites, stepLimits, tabletop, tabletopByWords } from './index.ts';
import { seedOfStart } from './tabletop.ts';
const random = Random.fromSeed('trial');
const mode = process.argv[2];
for (const suite of suites) {
  let won = 0, total = 0, max = 0; const bad: string[] = [];
  const table = tabletop(`tabletop/${suite}`, mode === 'fine' || mode==='finenoise' ? { scale: 'fine' } : {});
  const words = tabletopByWords(`tabletop/${suite}`, { starts: 'counted' });
  for (const start of startsOf('all')) {
    let n = 0, done = false, success = false;
    if (mode === 'words') words.reset(seedOfStart(start)); else table.begin(start);
    if (mode === 'disturbed') { const k = random.integer(10); let dead=false; for (let i = 0; i < k && !dead; i++) dead = table.step(Array.from({ length: 7 }, () => 2 * random.uniform() - 1)).terminated; if (dead) { won++; continue; } }
    const limit = mode==='words' ? 1e9 : Number(process.argv[3] ?? 0) || (stepLimits[suite] / (mode?.startsWith('fine') ? 1 : 10));
    while (!done && n < limit) {
      const r = mode === 'random' ? table.step(Array.from({ length: 7 }, () => 2 * random.uniform() - 1)) : mode === 'words' ? words.step(words.expert()) : table.step(table.expert({ noise: mode?.includes('noise') ? Number(process.argv[4] ?? .3) : 0, random }));
      n++; success = r.terminated; done = r.terminated || (mode === 'words' && r.truncated);
    }
    if (success) { won++; total += n; max = Math.max(max, n); } else bad.push(`${start.task}/${start.state}`);
  }
  console.log(mode, suite, won, 'mean', (total / won).toFixed(2), 'max', max, bad.length, bad.slice(0, 10).join(' '));
}
