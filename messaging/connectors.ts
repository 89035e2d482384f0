/**
 * The connectors as this process sees them, and the answer to their registrations. Mission Control Service, section
 * 2.11. Any front end answers.
 *
 * D1. A connector lives while something came from it within three of its periods (heartbeats.B1). One that says that it
 *     ends has no instance from then on, and is not missing.
 * D2. The instance that registered last is the connector. Another one under the same name is asked to register once the
 *     first is no more: what takes over needs nobody's word.
 * D3. How far a connector is that keeps its position itself is what its instance said last; behind its end, what was
 *     recorded.
 */

import { buckets } from '../contract/bus/buckets.ts';
import { subject } from '../contract/bus/subjects.ts';
import {
  type ConnectorHeartbeat,
  type ConnectorRegistrationFault,
  type ConnectorRegistrationReply,
  type ReadPosition,
  readConnectorHeartbeat,
  readConnectorRegistration,
} from '../contract/connector-wire.ts';
import { Outage } from '../contract/outage.ts';
import { accepted, refused } from '../contract/result.ts';
import {
  type RegisteredConnector,
  readStoredConnector,
  type StoredConnector,
} from '../contract/stored-connector.ts';
import type { CoreMessage, Stoppable } from '../ports/bus.ts';
import { registerConnector } from './connector-writes.ts';
import { type HeartbeatKind, Heartbeats, type LivingRecord } from './heartbeats.ts';
import type { BookTools, RegisteredBook } from './registered-book.ts';

/** Front ends that answer connectors share the work. */
const CONNECTOR_QUEUE = 'connectors';

/** A connector as it is now. */
export interface Connector {
  readonly name: string;
  readonly document: RegisteredConnector['document'];
  readonly alive: boolean;
  /** It ended in order, and nobody has taken its place (D1). */
  readonly left: boolean;
  readonly health: RegisteredConnector['health'];
  /** ms since 1970 */
  readonly lastHeard: number;
  /** D3 */
  readonly positions: Readonly<Record<string, ReadPosition>>;
  readonly lost: NonNullable<StoredConnector['lost']>;
}

const CONNECTORS: HeartbeatKind<StoredConnector, ConnectorHeartbeat> = {
  noun: 'connector',
  bucket: buckets.connectors,
  readRecord: readStoredConnector,
  heartbeats: subject.connectorHeartbeats,
  queue: CONNECTOR_QUEUE,
  readBeat: readConnectorHeartbeat,
  isOwn: ({ document }, { instance }) => document.instance === instance,
  ends: ({ leaving }) => leaving,
  recorded: ({ positions, leaving }) => ({ positions, left: leaving }),
};

export class Connectors implements Stoppable {
  readonly #tools: BookTools;
  readonly #heartbeats: Heartbeats<StoredConnector, ConnectorHeartbeat>;
  #serving: Stoppable | undefined;

  constructor(tools: BookTools) {
    this.#tools = tools;
    this.#heartbeats = new Heartbeats(tools, CONNECTORS);
  }

  get book(): RegisteredBook<StoredConnector> {
    return this.#heartbeats.book;
  }

  /** Whether it holds every connector there is. */
  get live(): boolean {
    return this.#heartbeats.live;
  }

  /** From now on registrations and heartbeats are received and answered. */
  start(): void {
    this.#heartbeats.start();
    const answer = async (message: CoreMessage): Promise<Uint8Array> =>
      Buffer.from(JSON.stringify(await this.#registered(message)));
    const choice = { queue: CONNECTOR_QUEUE, asker: 'connector' } as const;
    this.#serving = this.#tools.bus.serve(subject.connectorRegistrations, answer, choice);
  }

  /** By name. */
  all(): Connector[] {
    return this.#heartbeats.all().map((living) => this.#connectorOf(living));
  }

  /** Undefined for one that never registered. */
  get(name: string): Connector | undefined {
    const living = this.#heartbeats.get(name);
    return living && this.#connectorOf(living);
  }

  /** Whether somebody removed it since this process began (registered-book.K4). */
  wasRemoved(name: string): boolean {
    return this.book.wasRemoved(name);
  }

  async stop(): Promise<void> {
    await this.#serving?.stop();
    await this.#heartbeats.stop();
  }

  #connectorOf(living: LivingRecord<StoredConnector, ConnectorHeartbeat>): Connector {
    const { key, registered, alive, health, lastHeard, beat } = living;
    const { document, left = false, positions = {} } = registered;
    return {
      name: key,
      document,
      alive,
      left: !alive && (beat?.leaving ?? left),
      health,
      lastHeard,
      positions: beat?.positions ?? positions,
      lost: this.book.get(key)?.record.lost ?? {},
    };
  }

  async #registered({ subject: about, data }: CoreMessage): Promise<ConnectorRegistrationReply> {
    const { bus, clock, log } = this.#tools;
    const name = about.slice(about.lastIndexOf('.') + 1);
    const read = readConnectorRegistration(data, name);
    if (!read.ok) {
      log.warn({ connector: name, faults: read.faults }, 'registration of a connector refused');
      return read;
    }
    try {
      const writing = { bus, clock, others: () => this.book.entries() };
      const written = await registerConnector(writing, read.value, this.get(name)?.positions);
      if (!written.ok) {
        log.warn({ connector: name, faults: written.faults }, 'registration of a connector refused');
        return written;
      }
      await this.book.seen(written.value.revision);
      const { instance, software } = read.value;
      log.info({ connector: name, instance, software }, 'connector registered');
      return accepted({ registered: true });
    } catch (error) {
      if (!(error instanceof Outage)) throw error;
      const message = `the registration could not be stored: ${error.message}`;
      return refused<ConnectorRegistrationFault>({ code: 'api::unavailable', message });
    }
  }
}
