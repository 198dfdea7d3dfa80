import { encodePng } from '@emac/images';
import { writeFileSync } from 'node:fs';
import { expertAction } from './expert/expert.ts';
import { acted, scales } from './motion.ts';
import { sceneOf, tasksOf, type Suite } from './starts.ts';
import { paint } from './frame/painter.ts';
const [suite, task, state, steps, size, eye] = process.argv.slice(2);
const n = Number(size ?? 256);
const goals = tasksOf(suite as Suite)[Number(task)]!.goals;
let scene = sceneOf(suite as Suite, { task: Number(task), state: Number(state) });
const wanted = steps!.split(',').map(Number);
const W = 3; const rows = Math.ceil(wanted.length / W);
const out = new Uint8Array(n * n * W * rows * 3); let k = 0;
for (let i = 0; i <= Math.max(...wanted); i++) {
  if (wanted.includes(i)) { const f = paint(scene, n, (eye ?? 'agent') as 'agent'); for (let y = 0; y < n; y++) out.set(f.data.subarray(y * n * 3, (y + 1) * n * 3), ((Math.floor(k / W) * n + y) * W + (k % W)) * n * 3); k++; }
  scene = acted(scene, expertAction(scene, goals, { scale: scales.fast, near: 0.004, straight: 0.06 }), scales.fast);
}
writeFileSync(`/tmp/d/t18/${suite}-${task}-${state}-${eye ?? 'agent'}-${n}.png`, await encodePng({ width: n * W, height: n * rows, data: out }));
