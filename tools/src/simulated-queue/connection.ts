/**
 * A client's connection to a simulated Redis, as ioredis keeps it: commands in order; while it is cut they wait, and
 * those without an answer are sent again when it is back, so some run twice.
 */
import { EventEmitter } from 'node:events';
import type { Server, Subscriber } from './server.ts';
import type { Thread, World } from './world.ts';

/** How the network of a process is now. */
export interface Network {
  /** milliseconds one way */
  readonly delay: number;
  /** the same until then */
  slow: { readonly delay: number; readonly until: number };
  /** nothing passes until then */
  deadUntil: number;
}

export interface ConnectionParts {
  readonly world: World;
  readonly server: Server;
  readonly thread: Thread;
  readonly network: Network;
  /** milliseconds until another attempt; null gives up */
  readonly retry: (times: number) => number | null;
}

/** A command; `answer` is called once with what the client will get. */
type Command = (server: Server, answer: (reply: unknown) => void) => void;

interface Pending {
  readonly command: Command;
  readonly resolve: (reply: unknown) => void;
  readonly reject: (fault: Error) => void;
}

/** Events: `ready`, `message` (channel, text). */
export class Connection extends EventEmitter {
  isUp = false;
  readonly #parts: ConnectionParts;
  readonly #pending = new Set<Pending>();
  readonly #subscriptions = new Set<string>();
  #isOver = false;
  /** of this line: a new one for each attempt that connects */
  #line = { isCut: true, lostFrom: 0, sent: 0, got: 0, life: -1 };

  constructor(parts: ConnectionParts) {
    super();
    this.#parts = parts;
    parts.server.onCrash(() => this.cut());
  }

  /** The first attempt; calls back if it fails. */
  connect(failed: () => void = () => this.#again(1)): void {
    const { world, thread, network } = this.#parts;
    world.at(world.now + 2 * this.#delay(), thread, () => {
      if (this.#isOver) return;
      if (this.#parts.server.isDown || network.deadUntil > world.now) failed();
      else this.#connected();
    });
  }

  /** A command of one step. */
  ask<T>(run: (server: Server) => T): Promise<T> {
    return this.call((server, answer) => answer(run(server))) as Promise<T>;
  }

  call(command: Command): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.#isOver) return reject(new Error('Connection is closed.'));
      const pending = { command, resolve, reject };
      this.#pending.add(pending);
      if (this.isUp) this.#send(pending);
    });
  }

  async subscribe(channel: string): Promise<void> {
    this.#subscriptions.add(channel);
    await this.call((server, answer) => {
      this.#listen(server, channel);
      answer(1);
    });
  }

  /** The line breaks: what is on its way may or may not arrive. */
  cut(): void {
    if (!this.isUp) return;
    const { world } = this.#parts;
    this.#line.isCut = true;
    this.#line.lostFrom = world.now + (world.chance(0.5) ? 0 : this.#delay());
    this.isUp = false;
    if (!this.#isOver) this.#again(1);
  }

  /** For good; commands without an answer get none. */
  close(): void {
    this.#isOver = true;
    this.cut();
  }

  #again(times: number): void {
    const { world, thread, retry } = this.#parts;
    const wait = retry(times);
    if (wait !== null) {
      thread.after(Math.max(1, wait), () => this.#isOver || this.connect(() => this.#again(times + 1)));
      return;
    }
    this.#isOver = true;
    world.say('network', 'a connection is given up');
    for (const { reject } of this.#pending) reject(new Error('Connection is closed.'));
    this.#pending.clear();
  }

  #connected(): void {
    const { world, server } = this.#parts;
    this.isUp = true;
    this.#line = { isCut: false, lostFrom: Infinity, sent: world.now, got: world.now, life: server.life };
    for (const pending of [...this.#pending]) this.#send(pending);
    for (const channel of this.#subscriptions) this.subscribe(channel).catch(() => {});
    this.emit('ready');
  }

  #send(pending: Pending): void {
    const { world, server } = this.#parts;
    const line = this.#line;
    line.sent = Math.max(line.sent, world.now + this.#delay());
    world.at(line.sent, null, () => {
      if (world.now >= line.lostFrom || server.life !== line.life || server.isDown) return;
      pending.command(server, (reply) =>
        this.#arrive(line, () => {
          this.#pending.delete(pending);
          pending.resolve(reply);
        }),
      );
    });
  }

  /** What the server sends; lost with its line. */
  #arrive(line: { isCut: boolean; got: number }, action: () => void): void {
    const { world, thread } = this.#parts;
    line.got = Math.max(line.got, world.now + this.#delay());
    world.at(line.got, thread, () => line.isCut || action());
  }

  #listen(server: Server, channel: string): void {
    const line = this.#line;
    const subscriber: Subscriber = {
      owner: this,
      channel,
      hear: (text) => {
        if (line.isCut) server.subscribers.delete(subscriber);
        else this.#arrive(line, () => this.emit('message', channel, text));
      },
    };
    for (const each of server.subscribers)
      if (each.owner === this && each.channel === channel) server.subscribers.delete(each);
    server.subscribers.add(subscriber);
  }

  #delay(): number {
    const { world, network } = this.#parts;
    const { slow } = network;
    return (world.now < slow.until ? slow.delay : network.delay) * world.between(0.2, 2);
  }
}
