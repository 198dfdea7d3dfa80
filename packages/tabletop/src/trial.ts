import { expertAction } from './expert/expert.ts';
import { holds } from './goals.ts';
import { acted, scales } from './motion.ts';
import { sceneOf, startsOf, suites, tasksOf } from './starts.ts';
for (const scaleName of ['fast','fine'] as const) {
const scale = scales[scaleName];
const limits = scaleName==='fast'?{spatial:22,object:28,goal:30,long:52}:{ spatial: 220, object: 280, goal: 300, long: 520 };
for (const suite of suites) {
  const tasks = tasksOf(suite);
  let total = 0, won = 0, max = 0; const bad: string[] = [];
  const per: number[] = Array(10).fill(0);
  const t0=Date.now();
  for (const start of startsOf('all')) {
    let scene = sceneOf(suite, start);
    const { goals } = tasks[start.task]!;
    if (goals.every((g) => holds(scene, g))) bad.push('done at start ' + start.task+'/'+start.state);
    let n = 0;
    while (n < 2*limits[suite] && !goals.every((g) => holds(scene, g))) { scene = acted(scene, expertAction(scene, goals, { scale, near: 0.004 }), scale); n++; }
    if (n <= limits[suite]&&goals.every((g) => holds(scene, g))) { won++; total += n; max = Math.max(max, n); per[start.task]! += n/50; } else bad.push(start.task + '/' + start.state+':'+n);
  }
  console.log(scaleName, suite, won, total / won, max, per.map(x=>x.toFixed(1)).join(' '), Date.now()-t0,'ms', bad.length, bad.slice(0, 12).join(' '));
}}
