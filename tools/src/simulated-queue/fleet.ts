/** The processes of a schedule: a trainer and workers, started again whenever they end before the training has. */
import { EmacError, exitCodes } from '@emac/core';
import { pause, runWorker, type Handler, type JobQueue } from '@emac/queue';
import { programVersions } from '@emac/settings';
import { Process, type Place } from './process.ts';
import { replaced } from './sabotage.ts';
import type { Schedule } from './schedule.ts';
import { answerJob, emptyDisk, train, type Disk } from './training.ts';

/** how a process may end before its time, by who it is */
const allowed = {
  trainer: ['interrupted', 'unavailable'],
  worker: ['interrupted', 'unavailable', 'io'],
  stranger: ['interrupted', 'unavailable', 'io', 'config'],
} as const;

export type Role = keyof typeof allowed;

export class Fleet {
  /** of the trainers, by name */
  readonly disks = new Map<string, { now: Disk }>();
  readonly place: Place;
  readonly schedule: Schedule;
  readonly violations: string[] = [];
  readonly members = new Map<string, { readonly role: Role; process: Process }>();
  /** handlers begun, by job, and those that failed */
  readonly runs = new Map<string, number>();
  failures = 0;
  /** no worker starts until then */
  awayUntil = 0;
  /** results that counted before the training had ended, by job */
  readonly counted = new Map<string, number>();
  /** of the training, by its exits before the end */
  restarts = 0;
  /** trainers that have ended well */
  readonly #trained = new Set<string>();
  #isClosing = false;
  #count = 0;

  constructor(place: Place, schedule: Schedule) {
    this.place = place;
    this.schedule = schedule;
  }

  /** Starts a process of that name, and again after its end. */
  start(name: string, role: Role): void {
    const { world } = this.place;
    const process = new Process(this.place, `${name}.${++this.#count}`);
    this.members.set(name, { role, process });
    world.say(process.name, 'starts');
    const work = role === 'trainer' ? this.#train(name, process) : this.#work(process, role);
    // what a process has done when it is killed is not heard of
    work.then(
      () => {
        if (role === 'trainer' && !process.isOver) this.#trained.add(name);
        this.#ended(name, process, null);
      },
      (thrown: unknown) => this.#ended(name, process, thrown),
    );
  }

  #ended(name: string, process: Process, thrown: unknown): void {
    const { world } = this.place;
    if (process.isOver) return;
    const { role } = this.members.get(name)!;
    world.say(process.name, thrown === null ? 'ends' : `ends: ${String(thrown)}`);
    const code = thrown instanceof EmacError ? thrown.code : 'internal';
    if (thrown !== null && !(allowed[role] as readonly string[]).includes(code))
      this.violations.push(`${process.name} ended with ${exitCodes[code]}: ${String(thrown)}`);
    this.kill(name);
  }

  /** Ends a process; another takes its place a moment later, unless its work is done. */
  kill(name: string): void {
    const { world } = this.place;
    const { role, process } = this.members.get(name)!;
    if (process.isOver) return;
    process.kill();
    const isDone = role === 'trainer' ? this.#trained.has(name) : this.#isClosing;
    if (isDone || role === 'stranger') return;
    if (role === 'trainer') this.restarts++;
    const back = world.now + world.between(100, 3_000);
    world.at(role === 'worker' ? Math.max(back, this.awayUntil) : back, null, () => {
      if (!this.#isClosing) this.start(name, role);
    });
  }

  /** Tells all to end, and starts none again. */
  close(): void {
    this.#isClosing = true;
    for (const { process } of this.members.values()) process.stop.abort();
  }

  get isEmpty(): boolean {
    return [...this.members.values()].every(({ process }) => process.isOver);
  }

  get isTrained(): boolean {
    return this.#trained.size === this.schedule.trainers;
  }

  #train(name: string, process: Process): Promise<void> {
    const disk = this.disks.get(name) ?? { now: emptyDisk(name.replace(' ', '-')) };
    this.disks.set(name, disk);
    return train(process, this.schedule.training, disk);
  }

  async #work(process: Process, role: Role): Promise<void> {
    const queue = await process.open();
    const code = role === 'stranger' ? 'another' : 'right';
    const handler = this.#handler(process, code);
    try {
      await runWorker({
        queue: this.#tallied(queue),
        handlers: { play: handler, gradient: handler },
        identity: {
          id: process.name,
          host: 'simulated',
          pid: 1,
          versions: { ...programVersions(), ...(role === 'stranger' && { code }) },
        },
        signal: process.stop.signal,
      });
    } finally {
      await queue.close();
    }
  }

  /** Notes results that count. */
  #tallied(queue: JobQueue): JobQueue {
    return replaced(queue, {
      acknowledge: async (lease, result) => {
        const acknowledged = await queue.acknowledge(lease, result);
        if (acknowledged === 'counted' && [...this.disks.values()].every(({ now }) => now.ended === null))
          this.counted.set(lease.id, (this.counted.get(lease.id) ?? 0) + 1);
        return acknowledged;
      },
    });
  }

  #handler(process: Process, code: string): Handler {
    const { world } = this.place;
    const { jobMs, blocks, fails, heeds, faultsEnd, training } = this.schedule;
    return async ({ name, input }, { signal }) => {
      const job = `${name.run} ${name.policy.slice(0, 6)} ${name.seed} ${name.shard}`;
      this.runs.set(job, (this.runs.get(job) ?? 0) + 1);
      world.say(process.name, `begins ${job}`);
      for (let step = 0; step < 2; step++) {
        const ms = world.between(...jobMs) / 2;
        if (world.chance(blocks)) await process.compute(ms);
        else await pause(process.main, ms);
        if (heeds && signal.aborted) throw new EmacError('interrupted', 'the lease is lost');
      }
      if (world.now < faultsEnd && world.chance(fails)) {
        this.failures++;
        throw new Error('no such door');
      }
      const result = await answerJob(
        process,
        { policy: name.policy, input },
        { code, bytes: training.bytes },
      );
      world.say(process.name, `has done ${job}`);
      return result;
    };
  }
}
