/**
 * A connector says that it is there: registration, heartbeats, and that it leaves. For connectors that are part of this
 * project; others do the same by what `docs/connectors.md` describes. Mission Control Service, section 2.11.
 *
 * N1. It registers as soon as the bus is there, and whenever the answer to a heartbeat asks for it; what is refused or
 *     not answered is tried again. Nothing of the connector's own work waits for it.
 * N2. What it says in a heartbeat is asked of it then (`state`): a position that is reported is one that is stored.
 * N3. A connector that ends in order says so, once, and waits no longer than `CONNECTOR_LEAVE_MS` for the answer.
 */

import { subject } from '../contract/bus/subjects.ts';
import {
  type ConnectorRead,
  type ConnectorRegistrationDocument,
  type ReadPosition,
  readConnectorHeartbeatReply,
  readConnectorRegistrationReply,
} from '../contract/connector-wire.ts';
import { BUS_REQUEST_MS } from '../contract/limits/bus.ts';
import { CONNECTOR_AGAIN_MS, CONNECTOR_LEAVE_MS, CONNECTOR_PERIOD_MS } from '../contract/limits/connector.ts';
import { Outage } from '../contract/outage.ts';
import type { UnitHealth } from '../contract/unit-wire.ts';
import type { Bus, Stoppable } from '../ports/bus.ts';
import type { Clock, TimerHandle } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import { ask } from './ask.ts';

/** How a connector is now. */
export interface ConnectorState {
  readonly health: UnitHealth;
  /** Of what it reads by position, by the name of the consumer; one that is not known yet is left out. */
  readonly positions?: Readonly<Record<string, ReadPosition>>;
}

export interface ConnectorOptions {
  readonly bus: Pick<Bus, 'connected' | 'onConnection' | 'request'>;
  readonly clock: Clock;
  readonly log: Log;
  /** A token; what it stored before goes on under the same name. */
  readonly name: string;
  /** A token for this process. */
  readonly instance: string;
  readonly software: { readonly name: string; readonly version: string };
  readonly data: readonly ConnectorRead[];
  /** Default: every target there is. */
  readonly targets?: readonly string[];
  readonly periodMs?: number;
  /** N2 */
  readonly state: () => ConnectorState;
}

export class ConnectorRegistration implements Stoppable {
  readonly #options: ConnectorOptions;
  readonly #periodMs: number;
  readonly #offConnection: () => void;
  #timer: TimerHandle | undefined;
  #isRegistered = false;
  #isRegistering = false;
  /** What was refused last: said once in the log. */
  #refusal: string | undefined;
  #stopped = false;

  constructor(options: ConnectorOptions) {
    this.#options = options;
    this.#periodMs = options.periodMs ?? CONNECTOR_PERIOD_MS;
    this.#offConnection = options.bus.onConnection((connected) => {
      if (connected && !this.#isRegistered) void this.#register();
    });
    if (options.bus.connected) void this.#register();
    this.#beatLater();
  }

  get registered(): boolean {
    return this.#isRegistered;
  }

  /** N3 */
  async stop(): Promise<void> {
    if (this.#stopped) return;
    this.#stopped = true;
    this.#offConnection();
    if (this.#timer !== undefined) this.#options.clock.clearTimeout(this.#timer);
    if (this.#isRegistered && this.#options.bus.connected) await this.#say(true, CONNECTOR_LEAVE_MS);
  }

  /** N1 */
  async #register(): Promise<void> {
    if (this.#isRegistering || this.#stopped) return;
    this.#isRegistering = true;
    const made = await this.#asked(
      subject.connectorRegister(this.#options.name),
      this.#document(),
      readConnectorRegistrationReply,
      BUS_REQUEST_MS,
    );
    this.#isRegistering = false;
    if (this.#stopped) return;
    if (made?.ok === true) return this.#accepted();
    this.#isRegistered = false;
    if (made !== undefined) this.#refused(made.faults.map(({ message }) => message).join('; '));
    this.#later(CONNECTOR_AGAIN_MS, () => {
      void this.#register();
      this.#beatLater();
    });
  }

  #accepted(): void {
    const { log, name, instance } = this.#options;
    if (!this.#isRegistered) log.info({ connector: name, instance }, 'connector registered');
    this.#isRegistered = true;
    this.#refusal = undefined;
  }

  #refused(refusal: string): void {
    const { log, name } = this.#options;
    if (refusal !== this.#refusal) log.warn({ connector: name, refusal }, 'connector is not registered');
    this.#refusal = refusal;
  }

  #document(): ConnectorRegistrationDocument {
    const { name, instance, software, targets, data } = this.#options;
    return {
      kind: 'connector',
      name,
      instance,
      software,
      heartbeat_period_ms: this.#periodMs,
      connector: { ...(targets !== undefined && { targets }), data },
    };
  }

  /** Where no front end receives it, the next one comes in a period. */
  async #beat(): Promise<void> {
    if (!this.#isRegistered || !this.#options.bus.connected) return;
    const said = await this.#say(false, this.#periodMs);
    if (said?.register === true) await this.#register();
  }

  #say(leaving: boolean, timeoutMs: number) {
    const { name, instance, state } = this.#options;
    const { health, positions } = state();
    const beat = {
      instance,
      health,
      ...(positions !== undefined && { positions }),
      ...(leaving && { leaving }),
    };
    return this.#asked(subject.connectorHeartbeat(name), beat, readConnectorHeartbeatReply, timeoutMs);
  }

  async #asked<Answer>(
    to: string,
    call: object,
    read: (bytes: Uint8Array) => Answer | undefined,
    timeoutMs: number,
  ): Promise<Answer | undefined> {
    try {
      const asked = await ask(this.#options.bus, { to, call, read, timeoutMs });
      return asked.outcome === 'answered' ? asked.answer : undefined;
    } catch (error) {
      if (error instanceof Outage) return undefined;
      throw error;
    }
  }

  #beatLater(): void {
    this.#later(this.#periodMs, () => {
      this.#beatLater();
      void this.#beat();
    });
  }

  #later(ms: number, work: () => void): void {
    const { clock } = this.#options;
    if (this.#timer !== undefined) clock.clearTimeout(this.#timer);
    if (!this.#stopped) this.#timer = clock.setTimeout(work, ms);
  }
}
