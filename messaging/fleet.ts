/**
 * The units of the fleet as this process sees them: who lives, how each is, and which is asked to register again.
 * Mission Control Service, sections 2.9 and 4.8. Any number of processes do this, and none leads.
 *
 * F1. A unit lives while something came from it within three of its periods (MC-UNIT-021), by heartbeats.B1.
 * F2. A heartbeat of a unit that is not known, or whose credential is due, is answered with `register` (heartbeats.B2).
 * F3. What a unit sends costs no write; what changes for it is recorded (heartbeats.B3).
 */

import { buckets } from '../contract/bus/buckets.ts';
import { subject } from '../contract/bus/subjects.ts';
import { UNIT_RENEWAL_MS } from '../contract/limits/unit.ts';
import { type RegisteredUnit, readStoredUnit, type StoredUnit } from '../contract/stored-unit.ts';
import { readHeartbeat, type UnitActivity, type UnitHeartbeat } from '../contract/unit-wire.ts';
import type { Stoppable } from '../ports/bus.ts';
import { type HeartbeatKind, Heartbeats, type LivingRecord } from './heartbeats.ts';
import type { BookTools, RegisteredBook } from './registered-book.ts';

/** Front ends that answer units share the work. */
export const UNIT_QUEUE = 'units';

/** A registered unit as it is now. */
export interface FleetUnit extends Omit<RegisteredUnit, 'last_heard'> {
  readonly serial: string;
  /** ms since 1970 */
  readonly lastHeard: number;
  readonly activity: UnitActivity | undefined;
}

const UNITS: HeartbeatKind<StoredUnit, UnitHeartbeat> = {
  noun: 'unit',
  bucket: buckets.units,
  readRecord: readStoredUnit,
  heartbeats: subject.unitHeartbeats,
  queue: UNIT_QUEUE,
  readBeat: readHeartbeat,
  renewalMs: UNIT_RENEWAL_MS,
};

export class Fleet implements Stoppable {
  readonly #heartbeats: Heartbeats<StoredUnit, UnitHeartbeat>;

  constructor(tools: BookTools) {
    this.#heartbeats = new Heartbeats(tools, UNITS);
  }

  get book(): RegisteredBook<StoredUnit> {
    return this.#heartbeats.book;
  }

  /** From now on heartbeats are received and answered. */
  start(): void {
    this.#heartbeats.start();
  }

  /** Whether it holds every unit there is. */
  get live(): boolean {
    return this.#heartbeats.live;
  }

  /** By serial number. */
  units(): FleetUnit[] {
    return this.#heartbeats.all().map(unitOf);
  }

  /** Undefined for one that never registered. */
  unit(serial: string): FleetUnit | undefined {
    const living = this.#heartbeats.get(serial);
    return living && unitOf(living);
  }

  stop(): Promise<void> {
    return this.#heartbeats.stop();
  }
}

function unitOf({ key, registered, beat, ...now }: LivingRecord<StoredUnit, UnitHeartbeat>): FleetUnit {
  const { document, at } = registered;
  return { serial: key, document, at, ...now, activity: now.alive ? beat?.activity : undefined };
}
