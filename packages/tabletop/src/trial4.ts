import { paint } from './frame/painter.ts';
import { sceneOf, startsOf } from './starts.ts';
for (const eye of ['agent','wrist'] as const) for (const size of [256, 224, 112, 64]) for (const suite of ['object','spatial'] as const) {
  const scenes = startsOf('all').slice(0, 60).map((s) => sceneOf(suite, s));
  for (const s of scenes) paint(s, size, eye);
  const t = process.cpuUsage();
  let n=0; for (let r = 0; r < (eye==='agent'?5:1); r++) for (const s of scenes) {paint(s, size, eye);n++}
  const u = process.cpuUsage(t); console.log(eye, suite, size, (n / ((u.user + u.system) / 1e6)).toFixed(0), 'frames/s');
}
