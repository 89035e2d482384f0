/**
 * What one address may hold of a server, and what everybody may hold together: connections, WebSockets, bodies that are
 * still on their way.
 *
 * V1. Connections never use up the descriptors of the process: one that is accepted beyond its share is closed at once.
 *     A server that cannot accept would be woken for it without end, and could open nothing else.
 * V2. Only what lasts is counted by address: a request that arrived whole costs nothing here.
 * V3. Each bound that is reached is logged once for a process.
 */

import type { HttpResponse, TemplatedApp } from 'uWebSockets.js';
import { readFileSync } from 'node:fs';
import {
  BODIES_PER_ADDRESS,
  BODIES_UNDER_WAY,
  CONNECTIONS,
  DESCRIPTORS_KEPT,
  WEBSOCKETS_PER_ADDRESS,
} from '../../contract/limits.ts';
import type { Log } from '../../ports/log.ts';

export interface AdmissionLimits {
  /** Of the whole process. */
  readonly connections: number;
  readonly bodies: number;
  readonly bodiesPerAddress: number;
  readonly socketsPerAddress: number;
}

/** Gives back what was admitted; calling it again does nothing. */
export type Release = () => void;

/** Of the process: every server of it takes from the same descriptors. */
let connections = 0;
const warned = new Set<string>();

export class Admission {
  readonly #limits: AdmissionLimits;
  readonly #log: Log;
  readonly #sockets = new Map<string, number>();
  readonly #bodies = new Map<string, number>();
  #bodiesUnderWay = 0;

  constructor(log: Log, limits: Partial<AdmissionLimits> = {}) {
    this.#log = log;
    this.#limits = { ...usual(), ...limits };
  }

  /** V1 */
  register(app: TemplatedApp): void {
    const changed = (res: HttpResponse, change: number): void => this.#connection(res, change);
    app.filter(changed as Parameters<TemplatedApp['filter']>[0]);
  }

  /** `change`: 1 for one that was accepted, -1 for one that ended, also by `close` here. */
  #connection(res: HttpResponse, change: number): void {
    connections += change;
    if (change < 0 || connections <= this.#limits.connections) return;
    this.#warn('connections', { connections: this.#limits.connections });
    res.close();
  }

  /** A connection that had become a WebSocket ended: uWebSockets.js says nothing of it to its filter. */
  socketEnded(): void {
    connections -= 1;
  }

  /** A WebSocket of this address; undefined when it has as many as it may. */
  socket(address: string): Release | undefined {
    return this.#take(this.#sockets, address, this.#limits.socketsPerAddress, 'WebSockets');
  }

  /** A body that has not come whole; undefined when this address, or everybody, has as many under way as may be. */
  body(address: string): Release | undefined {
    if (this.#bodiesUnderWay >= this.#limits.bodies) {
      this.#warn('unfinished bodies', { bodies: this.#limits.bodies });
      return undefined;
    }
    const release = this.#take(this.#bodies, address, this.#limits.bodiesPerAddress, 'unfinished bodies');
    if (release === undefined) return undefined;
    this.#bodiesUnderWay += 1;
    return once(() => {
      this.#bodiesUnderWay -= 1;
      release();
    });
  }

  #take(counts: Map<string, number>, address: string, most: number, what: string): Release | undefined {
    const count = counts.get(address) ?? 0;
    if (count >= most) {
      this.#warn(what, { address, most });
      return undefined;
    }
    counts.set(address, count + 1);
    return once(() => {
      const left = (counts.get(address) ?? 1) - 1;
      if (left === 0) counts.delete(address);
      else counts.set(address, left);
    });
  }

  /** V3 */
  #warn(what: string, fields: object): void {
    if (warned.has(what)) return;
    warned.add(what);
    this.#log.warn(fields, `limit of ${what} reached: further ones are refused`);
  }
}

/** Where the client of a request is, while its response lives. */
export function addressOf(res: HttpResponse): string {
  return Buffer.from(res.getRemoteAddressAsText()).toString();
}

function usual(): AdmissionLimits {
  return {
    connections: Math.min(CONNECTIONS, Math.max(1, descriptors() - DESCRIPTORS_KEPT)),
    bodies: BODIES_UNDER_WAY,
    bodiesPerAddress: BODIES_PER_ADDRESS,
    socketsPerAddress: WEBSOCKETS_PER_ADDRESS,
  };
}

/** How many files and sockets this process may have open; unbounded where the system does not say. */
function descriptors(): number {
  try {
    const [, soft] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return soft === undefined ? Number.POSITIVE_INFINITY : Number(soft);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

function once(step: () => void): Release {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    step();
  };
}
