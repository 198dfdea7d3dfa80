/** Does a schedule's faults at their moments. */
import type { Fleet, Role } from './fleet.ts';
import { describeFault, type Fault } from './schedule.ts';

/** Ends of a process that was told to end, at the latest so many milliseconds later: a moment for Redis, and closing. */
const endingMs = 20_000;

export function commitFault(fleet: Fleet, fault: Fault): void {
  const { world, server } = fleet.place;
  const { what, length, which } = fault;
  const chosen = (roles: readonly Role[]) => {
    const live = [...fleet.members].filter(
      ([, { role, process }]) => roles.includes(role) && !process.isOver,
    );
    return live.length > 0 ? live[which % live.length]! : null;
  };
  const roles: readonly Role[] = what.endsWith('trainer')
    ? ['trainer']
    : /worker|disk/.test(what)
      ? ['worker', 'stranger']
      : ['trainer', 'worker'];
  const [name, member] = chosen(roles) ?? [];
  world.say(member?.process.name ?? 'Redis', describeFault(fault));
  const ends = world.now + length;
  switch (what) {
    case 'kill Redis':
      if (!server.isDown) server.crash(fault.forgets);
      return void world.at(ends, null, () => (server.isDown = false));
    case 'jump clock of Redis':
      return void (server.skew += which % 2 === 0 ? length : -length);
    case 'start worker of another version':
      return fleet.start(`stranger ${which}`, 'stranger');
    case 'stop all workers':
      fleet.awayUntil = Math.max(fleet.awayUntil, ends);
      for (const { role, process } of fleet.members.values()) if (role === 'worker') process.stop.abort();
      return;
    default:
  }
  if (name !== undefined) befall(fleet, name, fault);
}

/** Does it to one process. */
function befall(fleet: Fleet, name: string, { what, length, which }: Fault): void {
  const { world } = fleet.place;
  const { leaseMs, jobMs } = fleet.schedule;
  const { role, process } = fleet.members.get(name)!;
  const ends = world.now + length;
  const { network } = process;
  switch (what) {
    case 'kill worker':
    case 'kill trainer':
      return fleet.kill(name);
    case 'freeze worker':
    case 'freeze trainer':
      return process.freeze(length);
    case 'stop worker':
    case 'stop trainer': {
      process.stop.abort();
      const job = role === 'trainer' ? 0 : 2 * jobMs[1];
      const last = Math.max(world.now, process.main.frozenUntil) + job + endingMs;
      return void world.at(last, null, () => {
        if (!process.isOver && process.main.frozenUntil < last - endingMs)
          fleet.violations.push(`${process.name} was told to end, and had not after ${endingMs} ms`);
      });
    }
    case 'fill disk':
      return void (process.fullUntil = ends);
    case 'cut connections':
      return process.cut();
    case 'cut off':
      process.cut();
      return void (network.deadUntil = ends);
    case 'slow network': {
      network.slow = { delay: Math.min(leaseMs / 4, 2_000) * (0.1 + (which % 100) / 100), until: ends };
      return;
    }
  }
}
