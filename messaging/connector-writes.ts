/**
 * Writes the records of connectors: registration by the connector, what streams discarded before it had read it,
 * removal. Mission Control Service, section 2.11.
 *
 * W1. Any number of front ends write, and none leads (record-write.W1).
 * W2. A registration keeps what is known of the consumers that it still names: how far they were, what they lost.
 * W3. A durable consumer belongs to one connector: two that share one would take messages from each other. Two that
 *     register at the same moment may both be accepted; the next registration of either is refused.
 */

import { buckets } from '../contract/bus/buckets.ts';
import {
  CONNECTOR_DATA,
  type ConnectorRegistrationDocument,
  type ConnectorRegistrationFault,
  type ReadPosition,
} from '../contract/connector-wire.ts';
import { CONNECTORS_MOST } from '../contract/limits/connector.ts';
import { accepted, type Result, refused, refusedAll } from '../contract/result.ts';
import {
  type LossRisk,
  type LostMessages,
  ofConsumer,
  type RegisteredConnector,
  readStoredConnector,
  type StoredConnector,
} from '../contract/stored-connector.ts';
import type { Bus } from '../ports/bus.ts';
import type { Clock } from '../ports/clock.ts';
import { removeRecord, type WrittenRecord, writeRecord } from './record-write.ts';

interface Writing {
  readonly bus: Bus;
  readonly clock: Clock;
  /** Those there are, as this process sees them. */
  readonly others: () => Iterable<readonly [string, { readonly record: StoredConnector }]>;
}

export type WrittenConnector = WrittenRecord<StoredConnector>;
type Made = Result<WrittenConnector, ConnectorRegistrationFault>;

/** W2, W3. Throws `Outage`. */
export async function registerConnector(
  writing: Writing,
  document: ConnectorRegistrationDocument,
  /** As its last instance said. */
  positions: Readonly<Record<string, ReadPosition>> = {},
): Promise<Made> {
  const at = new Date(writing.clock.now()).toISOString();
  return writeRecord<StoredConnector, ConnectorRegistrationFault>(
    writing.bus,
    placeOf(document.name),
    (standing) => {
      const others = [...writing.others()].filter(([name]) => name !== document.name);
      const faults = [...tooMany(standing, others.length), ...taken(document, others)];
      return faults.length > 0
        ? refusedAll(faults)
        : accepted(registeredOf(document, { at, positions, standing }));
    },
  );
}

/** By consumer. */
export interface FoundOfReaders {
  readonly lost: Readonly<Record<string, LostMessages>>;
  readonly risk: Readonly<Record<string, LossRisk>>;
}

/** What was found of its readers; of what is lost the larger count stands. Throws `Outage`. */
export async function recordFound(
  { bus }: Pick<Writing, 'bus'>,
  name: string,
  { lost, risk }: FoundOfReaders,
): Promise<WrittenConnector | undefined> {
  const written = await writeRecord<StoredConnector, 'gone' | 'known'>(bus, placeOf(name), (standing) => {
    if (standing === undefined) return refused('gone');
    const news = Object.entries(lost).filter(([consumer, found]) =>
      isNews(found, ofConsumer(standing.lost, consumer)),
    );
    const turned = Object.entries(risk).filter(
      ([consumer, { at_risk }]) => at_risk !== (ofConsumer(standing.risk, consumer)?.at_risk ?? false),
    );
    if (news.length + turned.length === 0) return refused('known');
    const merged = news.map(
      ([consumer, found]) => [consumer, mergedLoss(found, ofConsumer(standing.lost, consumer))] as const,
    );
    return accepted({
      ...standing,
      ...(merged.length > 0 && { lost: { ...standing.lost, ...Object.fromEntries(merged) } }),
      ...(turned.length > 0 && { risk: { ...standing.risk, ...Object.fromEntries(turned) } }),
    });
  });
  return written.ok ? written.value : undefined;
}

/** Whether there was one. Throws `Outage`. */
export function removeConnector({ bus }: Pick<Writing, 'bus'>, name: string): Promise<boolean> {
  return removeRecord(bus, placeOf(name));
}

/** Whether more is lost than was known. */
export function isNews(found: LostMessages, known: LostMessages | undefined): boolean {
  return known === undefined || found.messages > known.messages;
}

function mergedLoss(found: LostMessages, known: LostMessages | undefined): LostMessages {
  return { ...found, since: known?.since ?? found.since };
}

function placeOf(name: string) {
  return { bucket: buckets.connectors, key: name, read: readStoredConnector };
}

function registeredOf(
  document: ConnectorRegistrationDocument,
  {
    at,
    positions: said,
    standing,
  }: {
    readonly at: string;
    readonly positions: Readonly<Record<string, ReadPosition>>;
    readonly standing: StoredConnector | undefined;
  },
): StoredConnector {
  const before = standing?.registered;
  const named = new Set(document.connector.data.map(({ consumer }) => consumer));
  const positions = ofThese({ ...before?.positions, ...said }, named);
  const lost = ofThese(standing?.lost, named);
  const risk = ofThese(standing?.risk, named);
  const registered: RegisteredConnector = {
    document,
    at,
    alive: true,
    health: before?.health ?? { state: 'unknown' },
    last_heard: at,
    ...(positions !== undefined && { positions }),
  };
  return { registered, ...(lost !== undefined && { lost }), ...(risk !== undefined && { risk }) };
}

function ofThese<Value>(
  all: Readonly<Record<string, Value>> | undefined,
  names: ReadonlySet<string>,
): Readonly<Record<string, Value>> | undefined {
  const left = Object.entries(all ?? {}).filter(([name]) => names.has(name));
  return left.length === 0 ? undefined : Object.fromEntries(left);
}

type Others = readonly (readonly [string, { readonly record: StoredConnector }])[];

function tooMany(standing: StoredConnector | undefined, others: number): ConnectorRegistrationFault[] {
  if (standing !== undefined || others < CONNECTORS_MOST) return [];
  const message = `there are ${CONNECTORS_MOST} connectors already: remove those that are no more`;
  return [{ code: 'connector::too-many', message }];
}

/** W3 */
function taken({ connector }: ConnectorRegistrationDocument, others: Others): ConnectorRegistrationFault[] {
  const owners = new Map(
    others.flatMap(([name, { record }]) =>
      (record.registered?.document.connector.data ?? [])
        .filter(({ by }) => by === 'consumer')
        .map(({ kind, consumer }) => [`${CONNECTOR_DATA[kind]?.name} ${consumer}`, name] as const),
    ),
  );
  return connector.data.flatMap(({ kind, consumer, by }, at) => {
    const stream = CONNECTOR_DATA[kind].name;
    const owner = by === 'consumer' ? owners.get(`${stream} ${consumer}`) : undefined;
    if (owner === undefined) return [];
    const message = `consumer ${consumer} of stream ${stream} belongs to connector ${owner}`;
    return [{ code: 'connector::consumer-taken' as const, message, path: `connector.data.${at}.consumer` }];
  });
}
