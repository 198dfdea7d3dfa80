import { expertAction } from './expert/expert.ts';
import { acted, scales } from './motion.ts';
import { sceneOf, tasksOf } from './starts.ts';
let scene = sceneOf('object', {task:3,state:3});
console.log(scene.things.map(t=>[t.name,t.x.toFixed(3),t.y.toFixed(3),t.yaw.toFixed(2)].join(' ')).join('\n'));
for (let i=0;i<20;i++){ const a=expertAction(scene, tasksOf('object')[3]!.goals, {scale:scales.fast,near:.004}); scene=acted(scene,a,scales.fast); const h=scene.hand; console.log(a.map(x=>x.toFixed(2)).join(' '),'|',h.x.toFixed(3),h.y.toFixed(3),h.z.toFixed(3),h.turn[2].toFixed(2),h.opening.toFixed(3),h.holds)}
