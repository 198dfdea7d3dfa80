import { backdrop } from './frame/wood.ts';
import { agentCamera } from './frame/camera.ts';
for (const n of [256, 64]) { const t = Date.now(); backdrop(agentCamera, n, 3); console.log(n, Date.now() - t, 'ms'); }
