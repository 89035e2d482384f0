/** Front ends that watch a fleet, and units that speak to them, on the twin of the bus: every clock is moved by hand. */

import { createUser } from 'nkeys.js';
import { isUserPublicKey, unitInbox } from '../../bus/identity.ts';
import { buckets } from '../../contract/bus/buckets.ts';
import { subject } from '../../contract/bus/subjects.ts';
import { readStoredUnit, type StoredUnit } from '../../contract/stored-unit.ts';
import {
  type RegistrationReply,
  readHeartbeatReply,
  readRegistrationReply,
  type UnitHealth,
  type UnitRegistration,
} from '../../contract/unit-wire.ts';
import { Fleet, type FleetUnit } from '../../messaging/fleet.ts';
import { UnitRegistrar } from '../../messaging/unit-registrar.ts';
import type { CredentialOfUnit } from '../../ports/unit-credentials.ts';
import { HeapClock } from '../../supervision/clock.ts';
import { ProcessClock } from '../simulation/process-clock.ts';
import { TwinServer } from '../simulation/twin/server.ts';
import { TwinBus } from '../simulation/twin/twin-bus.ts';
import { fairWeather } from '../simulation/twin/weather.ts';
import { settled } from '../support/manual-clock.ts';
import { type KeptLog, keptLog } from '../support/silent-log.ts';

export const PERIOD_MS = 1_000;
export const KEY = createUser().getPublicKey();
const START = Date.parse('2026-01-02T03:04:05.000Z');
const OK: UnitHealth = { state: 'ok' };

export function registrationOf(serial: string, more: Partial<UnitRegistration> = {}): UnitRegistration {
  return {
    kind: 'unit',
    instance: serial,
    software: { name: 'bench-unit', version: '1.4.0' },
    heartbeat_period_ms: PERIOD_MS,
    public_key: KEY,
    unit: { hardware_revision: 'C2', gateways: ['uhf-07'] },
    boot: 'b1',
    ...more,
  };
}

export interface FrontEndProcess {
  readonly bus: TwinBus;
  readonly clock: ProcessClock;
  readonly fleet: Fleet;
  readonly log: KeptLog;
  readonly issued: CredentialOfUnit[];
  /** Writes to the bucket of units so far. */
  readonly writes: () => number;
  kill(): void;
}

export class UnitWorld {
  readonly clock = new HeapClock(START);
  readonly server = new TwinServer({ now: () => this.clock.now(), choose: () => 0 });
  /** As the bus of anybody. */
  readonly bus = this.open('somebody', new ProcessClock(this.clock, 0), keptLog());
  /** That of each unit, by serial number. */
  readonly #lines = new Map<string, TwinBus>();

  static async start(): Promise<[UnitWorld, FrontEndProcess]> {
    const world = new UnitWorld();
    return [world, await world.process('one')];
  }

  /** A front end that begins now. */
  async process(name: string): Promise<FrontEndProcess> {
    const clock = new ProcessClock(this.clock, 0);
    const log = keptLog();
    const bus = this.open(name, clock, log);
    const fleet = new Fleet({ bus, clock, log });
    const issued: CredentialOfUnit[] = [];
    const issue = async (unit: CredentialOfUnit): Promise<string> => {
      issued.push(unit);
      return `jwt ${issued.length}`;
    };
    const credentials = { isUserKey: isUserPublicKey, issue };
    const registrar = new UnitRegistrar({ bus, clock, log, fleet, credentials });
    fleet.start();
    registrar.start();
    await this.run(100);
    const kill = (): void => {
      bus.cut();
      clock.end();
    };
    return { bus, clock, fleet, log, issued, writes: () => this.server.bucket(buckets.units).lastSeq, kill };
  }

  async register(
    serial: string,
    more: Partial<UnitRegistration> = {},
  ): Promise<RegistrationReply | undefined> {
    const bytes = Buffer.from(JSON.stringify(registrationOf(serial, more)));
    return readRegistrationReply(await this.#ask(serial, subject.unitRegister(serial), bytes));
  }

  /** Whether it is asked to register. */
  async beat(serial: string, health = OK, more: object = {}): Promise<boolean | undefined> {
    const bytes = Buffer.from(JSON.stringify({ health, ...more }));
    return readHeartbeatReply(await this.#ask(serial, subject.unitHeartbeat(serial), bytes))?.register;
  }

  /** Heartbeats for so long. */
  async beats(serial: string, ms: number, periodMs = PERIOD_MS, health = OK): Promise<void> {
    const end = this.clock.now() + ms;
    while (this.clock.now() < end) {
      this.send(serial, health);
      await this.run(Math.min(periodMs, end - this.clock.now()));
    }
  }

  /** A heartbeat whose answer nobody waits for. */
  send(serial: string, health = OK): void {
    this.bus.publish(subject.unitHeartbeat(serial), Buffer.from(JSON.stringify({ health })));
  }

  stored(serial: string): StoredUnit | undefined {
    const message = this.server.bucket(buckets.units).last(`$KV.${buckets.units.name}.${serial}`);
    return message === undefined ? undefined : readStoredUnit(message.data);
  }

  /** Moves time, and lets everything happen that happens meanwhile. */
  async run(ms: number): Promise<void> {
    const at = this.clock.now() + ms;
    await settled();
    for (let due = this.clock.next(); due !== undefined && due <= at; due = this.clock.next()) {
      this.clock.step();
      await settled();
    }
    this.clock.advanceTo(at);
    await settled();
  }

  /** Runs until this is done. */
  async finish<Value>(work: Promise<Value>): Promise<Value> {
    let isDone = false;
    void work.finally(() => (isDone = true)).catch(() => undefined);
    for (await settled(); !isDone; await settled()) if (!this.clock.step()) break;
    return work;
  }

  open(name: string, clock: ProcessClock, log: KeptLog, inboxPrefix?: string): TwinBus {
    return new TwinBus({
      server: this.server,
      name,
      ...(inboxPrefix !== undefined && { inboxPrefix }),
      settleMs: 0,
      outside: this.clock,
      inside: clock,
      arrivals: clock.arrivals,
      pulled: clock.pulled,
      weather: { ...fairWeather, latencyMs: () => 1 },
      log,
    });
  }

  /** The bus of a unit: its answers come to its own inbox. */
  line(serial: string): TwinBus {
    const known = this.#lines.get(serial);
    if (known !== undefined) return known;
    const clock = new ProcessClock(this.clock, 0);
    const line = this.open(`unit-${serial}`, clock, keptLog(), unitInbox(serial));
    this.#lines.set(serial, line);
    return line;
  }

  #ask(serial: string, about: string, data: Uint8Array): Promise<Uint8Array> {
    return this.finish(this.line(serial).request(about, data, { timeoutMs: 5_000 }));
  }
}

export function aliveOf({ fleet }: FrontEndProcess, serial: string): boolean | undefined {
  const unit: FleetUnit | undefined = fleet.unit(serial);
  return unit?.alive;
}
