/**
 * What one address may hold of a server, and what everybody may hold together: connections, WebSockets, bodies that are
 * still on their way.
 *
 * V1. Connections never use up the descriptors of the process: one that is accepted beyond its share is closed at once.
 *     A server that cannot accept would be woken for it without end, and could open nothing else.
 * V2. Only what lasts is counted by address: a request that arrived whole costs nothing here.
 * V4. WebSockets leave a share of the connections to requests: who looks whether the process is well is answered also
 *     where watchers have come in numbers.
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
  WEBSOCKETS_SHARE,
} from '../../contract/limits/connection.ts';
import { EDITOR_REQUESTS, EDITOR_REQUESTS_PER_ADDRESS } from '../../contract/limits/editor.ts';
import type { Log } from '../../ports/log.ts';

export interface AdmissionLimits {
  /** Of the whole process. */
  readonly connections: number;
  readonly bodies: number;
  readonly bodiesPerAddress: number;
  readonly sockets: number;
  readonly socketsPerAddress: number;
  readonly forwarded: number;
  readonly forwardedPerAddress: number;
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
  #socketsOpen = 0;
  readonly #bodies = new Map<string, number>();
  #bodiesUnderWay = 0;
  readonly #forwarded = new Map<string, number>();
  #forwardedUnderWay = 0;

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

  /** A WebSocket of this address; undefined when it, or everybody, has as many as may be. */
  socket(address: string): Release | undefined {
    const { sockets, socketsPerAddress } = this.#limits;
    if (this.#socketsOpen >= sockets) {
      this.#warn('WebSockets of everybody', { sockets });
      return undefined;
    }
    const release = this.#take(this.#sockets, address, socketsPerAddress, 'WebSockets');
    if (release === undefined) return undefined;
    this.#socketsOpen += 1;
    return once(() => {
      this.#socketsOpen -= 1;
      release();
    });
  }

  /** A request that another service answers; undefined when this address, or everybody, has as many as may be. */
  forwarded(address: string): Release | undefined {
    if (this.#forwardedUnderWay >= this.#limits.forwarded) {
      this.#warn('forwarded requests', { requests: this.#limits.forwarded });
      return undefined;
    }
    const most = this.#limits.forwardedPerAddress;
    const release = this.#take(this.#forwarded, address, most, 'forwarded requests');
    if (release === undefined) return undefined;
    this.#forwardedUnderWay += 1;
    return once(() => {
      this.#forwardedUnderWay -= 1;
      release();
    });
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
  const most = Math.min(CONNECTIONS, connectionsOf(descriptors()));
  return {
    connections: most,
    sockets: Math.floor(most * WEBSOCKETS_SHARE),
    bodies: BODIES_UNDER_WAY,
    bodiesPerAddress: BODIES_PER_ADDRESS,
    socketsPerAddress: WEBSOCKETS_PER_ADDRESS,
    forwarded: EDITOR_REQUESTS,
    forwardedPerAddress: EDITOR_REQUESTS_PER_ADDRESS,
  };
}

/** Of so many descriptors: all but those that are kept, and where they are few, half of them. */
function connectionsOf(all: number): number {
  return Math.max(1, all - DESCRIPTORS_KEPT, Math.floor(all / 2));
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
