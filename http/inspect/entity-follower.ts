/**
 * Follows one entity for one watcher: asks the process where it lives for frames, renews the watch, and looks for the
 * entity again when it is not there any more.
 *
 * W1. A watch that was begun is renewed while the socket is open and given back when it closes; when the API dies it
 *     runs out by itself (inspection.N3).
 * W2. The entity is followed through restarts and takeovers: while nobody has it, it is looked for every
 *     `INSPECT_SEARCH_MS`, and each new owner begins with its present state.
 * W3. The last state is reported before the end.
 */

import { subject } from '../../contract/bus/subjects.ts';
import {
  type EntityName,
  INSPECT_WATCH_MS,
  type InspectionUpdate,
  type WatchCall,
} from '../../contract/inspection.ts';
import { INSPECT_RENEWALS, INSPECT_SEARCH_MS } from '../../contract/limits/inspect.ts';
import { Outage } from '../../contract/outage.ts';
import { readReply } from '../../contract/reply.ts';
import type { Bus, Stoppable } from '../../ports/bus.ts';
import type { Clock, TimerHandle } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import { type Asked, answered, type Processes, refusals } from './processes.ts';

export interface FollowerPorts {
  readonly bus: Bus;
  readonly clock: Clock;
  readonly log: Log;
  readonly processes: Processes;
}

export interface UpdateSink {
  frame(data: Uint8Array, type: InspectionUpdate['type']): void;
  /** The entity has reached its end. */
  finished(): void;
}

export class EntityFollower implements Stoppable {
  readonly #ports: FollowerPorts;
  readonly #call: WatchCall;
  readonly #sink: UpdateSink;
  readonly #frames: Stoppable;
  #owner: string | undefined;
  #timer: TimerHandle | undefined;
  #stopped = false;

  constructor(ports: FollowerPorts, entity: EntityName, watcher: string, sink: UpdateSink) {
    this.#ports = ports;
    this.#call = { kind: entity.kind, id: entity.id, watcher };
    this.#sink = sink;
    this.#frames = ports.bus.subscribe(subject.inspectWatch(watcher), ({ data }) => this.#take(data));
  }

  /**
   * Begins, and says where the entity is; `full`: where it is no further watch is taken. An outage when the bus is
   * away.
   */
  async start(): Promise<'here' | 'nowhere' | 'full'> {
    const asked = await this.#find();
    this.#goOn();
    if (this.#owner !== undefined) return 'here';
    return refusals(asked).includes('inspect::invalid') ? 'full' : 'nowhere';
  }

  async stop(): Promise<void> {
    if (this.#stopped) return;
    this.#stopped = true;
    if (this.#timer !== undefined) this.#ports.clock.clearTimeout(this.#timer);
    await this.#frames.stop();
    await this.#giveBack();
  }

  async #giveBack(): Promise<void> {
    if (this.#owner === undefined) return;
    const owner = { instance: this.#owner, seenAt: 0 };
    // Nobody waits for it: a watch that is not given back runs out.
    await this.#ports.processes.ask(owner, 'unwatch', this.#call).catch(() => undefined);
  }

  #take(data: Uint8Array): void {
    if (this.#stopped) return;
    const frame = readUpdate(data);
    if (frame === undefined) return;
    this.#sink.frame(data, frame.type);
    if (frame.type === '@xstate.snapshot' && frame.snapshot.status === 'done') this.#sink.finished();
  }

  #goOn(): void {
    if (this.#stopped) return;
    const waitMs = this.#owner === undefined ? INSPECT_SEARCH_MS : INSPECT_WATCH_MS / INSPECT_RENEWALS;
    this.#timer = this.#ports.clock.setTimeout(() => {
      this.#renew()
        .catch((error: unknown) => this.#failed(error))
        .finally(() => this.#goOn());
    }, waitMs);
  }

  async #renew(): Promise<void> {
    if (this.#owner !== undefined) {
      const asked = await this.#ports.processes.ask(
        { instance: this.#owner, seenAt: 0 },
        'watch',
        this.#call,
      );
      if (answered([asked]).length > 0) return;
      this.#owner = undefined;
    }
    await this.#find();
  }

  async #find(): Promise<Asked<unknown>[]> {
    const asked = await this.#ports.processes.askAll<unknown>('watch', this.#call);
    this.#owner = answered(asked)[0]?.instance;
    // The socket closed while it was looked for: what was just begun is given back too.
    if (this.#stopped) await this.#giveBack();
    return asked;
  }

  #failed(error: unknown): void {
    this.#owner = undefined;
    if (!(error instanceof Outage)) this.#ports.log.error({ err: error }, 'an entity could not be followed');
  }
}

function readUpdate(data: Uint8Array): InspectionUpdate | undefined {
  return readReply(data) as InspectionUpdate | undefined;
}
