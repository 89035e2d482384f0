/** One machine of a transaction, or two entities, driven by hand: PDUs go where a test puts them. */

import type { Metadata } from '../../../protocol/cfdp/directive.ts';
import { CfdpEntity, type EntityOptions } from '../../../protocol/cfdp/entity.ts';
import type { CfdpEvent, TransactionEvent } from '../../../protocol/cfdp/event.ts';
import { Receiver } from '../../../protocol/cfdp/file-receiver.ts';
import { Sender } from '../../../protocol/cfdp/file-sender.ts';
import { type Pdu, type PduBody, readPdu } from '../../../protocol/cfdp/pdu.ts';
import { type CfdpSettings, DEFAULT_SETTINGS } from '../../../protocol/cfdp/settings.ts';

export const SEGMENT = 100;

export function contentOf(size: number): Buffer {
  return Buffer.from(Array.from({ length: size }, (_, n) => (n * 7 + (n >> 8)) & 0xff));
}

export function metadata(size: number, changes: Partial<Metadata> = {}): Metadata {
  return {
    kind: 'metadata',
    closure: false,
    checksumType: 0,
    size,
    sourceName: 'a',
    destinationName: 'b',
    options: [],
    ...changes,
  };
}

export function settingsOf(changes: Partial<CfdpSettings> = {}): CfdpSettings {
  return { ...DEFAULT_SETTINGS, local: 1n, ...changes };
}

/** Everything that a machine sends at a moment. */
export function sentBy(machine: Sender | Receiver, now: number, content?: Buffer): PduBody[] {
  const bodies: PduBody[] = [];
  for (let turn = 0; turn < 10_000; turn += 1) {
    const wanted = machine.role === 'sender' ? machine.wanted : undefined;
    if (wanted !== undefined && machine.role === 'sender') {
      machine.give(wanted[0], content?.subarray(...wanted) ?? Buffer.alloc(wanted[1] - wanted[0]));
    }
    const body = machine.pull(now);
    if (body === undefined) return bodies;
    bodies.push(body);
  }
  throw new Error('sends without end');
}

export function senderFor(size: number, changes: Partial<CfdpSettings> = {}, said: Partial<Metadata> = {}) {
  const events: TransactionEvent[] = [];
  const sender = new Sender(metadata(size, said), SEGMENT, settingsOf(changes), (event) =>
    events.push(event),
  );
  return { sender, events };
}

export interface ReceiverSetup {
  readonly settings?: Partial<CfdpSettings>;
  readonly mode?: 'acknowledged' | 'unacknowledged';
  readonly room?: number;
  readonly refuse?: number;
}

export function receiverFor({
  settings,
  mode = 'acknowledged',
  room = 1_000,
  refuse = 0,
}: ReceiverSetup = {}) {
  const events: TransactionEvent[] = [];
  const receiver = new Receiver(
    {
      settings: settingsOf({ local: 2n, ...settings }),
      mode,
      large: false,
      source: 1n,
      idBytes: 4,
      room,
      accept: () => refuse,
      emit: (event) =>
        events.push(event.kind === 'chunk' ? { ...event, bytes: Buffer.from(event.bytes) } : event),
    },
    0,
  );
  return { receiver, events };
}

export function kinds(bodies: readonly PduBody[]): string[] {
  return bodies.map((body) => (body.kind === 'fileData' ? `${body.offset}` : body.kind));
}

export function outcomesOf(events: readonly TransactionEvent[]) {
  return events.flatMap((event) => (event.kind === 'ended' ? [event.outcome] : []));
}

/** Two entities, 1 and 2, and the PDUs that wait at each. */
export function entities(
  changes: Partial<CfdpSettings> = {},
  options: { readonly one?: Partial<EntityOptions>; readonly two?: Partial<EntityOptions> } = {},
) {
  const events: { readonly one: CfdpEvent[]; readonly two: CfdpEvent[] } = { one: [], two: [] };
  const born = (local: bigint, peer: bigint, list: CfdpEvent[], own: Partial<EntityOptions> = {}) =>
    new CfdpEntity(
      {
        settings: { local, ...changes },
        peer,
        wallMs: 1_900_000_000_000,
        accept: () => true,
        emit: (event) =>
          list.push(event.kind === 'chunk' ? { ...event, bytes: Buffer.from(event.bytes) } : event),
        ...own,
      },
      0,
    );
  const one = born(1n, 2n, events.one, options.one);
  const two = born(2n, 1n, events.two, options.two);
  return { one, two, events };
}

/** Takes what an entity sends at a moment; its files are zeros unless given. */
export function pulled(entity: CfdpEntity, now: number, content?: Buffer): Buffer[] {
  const pdus: Buffer[] = [];
  for (let turn = 0; turn < 100_000; turn += 1) {
    for (const { id, range } of entity.wanted()) {
      entity.give(id, range[0], content?.subarray(...range) ?? Buffer.alloc(range[1] - range[0]), now);
    }
    const pdu = entity.pull(now);
    if (pdu === undefined) return pdus;
    pdus.push(Buffer.from(pdu));
  }
  throw new Error('sends without end');
}

export function read(pdu: Buffer): Pdu {
  const result = readPdu(pdu);
  if (!result.ok) throw new Error(result.faults[0]);
  return result.value;
}

/** Lets both talk, a step of time each turn, until neither says anything; what `keeps` refuses is lost. */
export function talk(
  { one, two }: { one: CfdpEntity; two: CfdpEntity },
  now: number,
  { content, keeps = () => true, turns = 50, stepMs = 200 }: TalkOptions = {},
): number {
  let at = now;
  for (let turn = 0; turn < turns; turn += 1, at += stepMs) {
    one.tick(at);
    two.tick(at);
    for (const pdu of pulled(one, at, content)) if (keeps(read(pdu))) two.receive(pdu, at);
    for (const pdu of pulled(two, at, content)) if (keeps(read(pdu))) one.receive(pdu, at);
  }
  return at;
}

export interface TalkOptions {
  readonly content?: Buffer;
  readonly keeps?: (pdu: Pdu) => boolean;
  readonly turns?: number;
  readonly stepMs?: number;
}
