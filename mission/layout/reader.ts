/**
 * Reads packets by the layouts of a platform into columns. Mission Control Service, section 6 (decoded telemetry).
 *
 * P1. The first layout of the document that matches is the one.
 * P2. Which conditional groups are present makes a variant, made once: rows of one variant share their ordinals and
 *     so their block.
 * P3. The length is checked, and the files are read, before a row is opened; a packet that is refused leaves nothing
 *     behind.
 */

import type { BlockBuilder } from '../../contract/batch.ts';
import type {
  DatagramAddress,
  DatagramReader,
  FileReadings,
  PacketOutcome,
  PacketReader,
} from '../platform.ts';
import { readUnsigned } from './bits.ts';
import { numberReader } from './field.ts';
import { chunkReader, type FilesReader, listingReader } from './files.ts';
import type {
  CspSelection,
  FieldConfiguration,
  GroupConfiguration,
  LayoutConfiguration,
  TimeConfiguration,
} from './layout.ts';
import { type PacketTest, packetTest } from './match.ts';
import { createVariant, endByte, type Variant } from './variant.ts';

/** Variants kept of one layout; alternatives of one field make as many as it has, far fewer than this. */
const VARIANTS_KEPT = 1_000;

/** The reader of the layouts of packets; `ordinal` knows every measure they name. */
export function createPacketReader(
  layouts: readonly LayoutConfiguration[],
  ordinal: (key: string) => number,
): PacketReader {
  const ofPackets = layouts.filter(({ csp }) => csp === undefined);
  const compiled = ofPackets.map((layout) => new Layout(layout, ordinal));
  const anyApid = compiled.filter(({ apid }) => apid === undefined);
  const apids = new Set(ofPackets.flatMap(({ apid }) => (apid === undefined ? [] : [apid])));
  const byApid = new Map(
    [...apids].map((apid) => [
      apid,
      compiled.filter((each) => each.apid === undefined || each.apid === apid),
    ]),
  );
  const candidates = (packet: Buffer): readonly Layout[] =>
    (packet.length >= 2 ? byApid.get(readUnsigned(packet, 5, 11)) : undefined) ?? anyApid;
  return Object.freeze({
    read(
      packet: Buffer,
      groundMs: number,
      into: BlockBuilder,
      files?: FileReadings,
    ): PacketOutcome | undefined {
      for (const layout of candidates(packet)) {
        if (layout.matches(packet)) return layout.read(packet, groundMs, into, files);
      }
      return undefined;
    },
  });
}

/** The reader of the layouts of CSP packets; the others are not asked. */
export function createDatagramReader(
  layouts: readonly LayoutConfiguration[],
  ordinal: (key: string) => number,
): DatagramReader {
  const compiled = layouts.flatMap((each) =>
    each.csp === undefined ? [] : [{ csp: each.csp, layout: new Layout(each, ordinal) }],
  );
  return Object.freeze({
    read(
      address: DatagramAddress,
      data: Buffer,
      groundMs: number,
      into: BlockBuilder,
      files?: FileReadings,
    ): PacketOutcome | undefined {
      for (const { csp, layout } of compiled) {
        if (isFor(csp, address) && layout.matches(data)) return layout.read(data, groundMs, into, files);
      }
      return undefined;
    },
  });
}

function isFor({ port, sourcePort, source }: CspSelection, address: DatagramAddress): boolean {
  return (
    (port ?? address.port) === address.port &&
    (sourcePort ?? address.sourcePort) === address.sourcePort &&
    (source ?? address.source) === address.source
  );
}

interface Group {
  readonly number: number;
  readonly present: PacketTest;
  readonly fields: readonly FieldConfiguration[];
  readonly when: readonly Group[];
}

class Layout {
  readonly apid: number | undefined;
  readonly matches: PacketTest;
  readonly #layout: LayoutConfiguration;
  readonly #groups: readonly Group[];
  readonly #time: (packet: Buffer) => number;
  readonly #timeBytes: number;
  readonly #plain: Variant;
  readonly #variants = new Map<string, Variant>();
  readonly #found: { readonly layout: string };
  readonly #ordinal: (key: string) => number;
  readonly #files: FilesReader | undefined;

  constructor(layout: LayoutConfiguration, ordinal: (key: string) => number) {
    let count = 0;
    const numbered = (group: GroupConfiguration): Group => ({
      number: count++,
      present: packetTest(group.match),
      fields: group.fields,
      when: group.when.map(numbered),
    });
    this.apid = layout.apid;
    this.matches = packetTest(layout.match);
    this.#layout = layout;
    this.#ordinal = ordinal;
    this.#groups = layout.when.map(numbered);
    this.#time = layout.time === undefined ? () => Number.NaN : timeReader(layout.time);
    this.#timeBytes = endByte(layout.time?.parts ?? []) + layout.tail;
    this.#plain = createVariant(layout.fields, layout.tail, ordinal);
    this.#found = Object.freeze({ layout: layout.name });
    this.#files = filesReader(layout);
  }

  read(packet: Buffer, groundMs: number, into: BlockBuilder, files?: FileReadings): PacketOutcome {
    const variant = this.#groups.length === 0 ? this.#plain : this.#variantOf(packet);
    const fault = this.#lengthFault(packet.length, variant);
    if (fault !== undefined) return { fault };
    const spans = variant.varies ? variant.place(packet) : [];
    if (spans === undefined)
      return { fault: `${packet.length} bytes end inside a field of layout ${this.#found.layout}` };
    const found = this.#files?.(packet, packet.length - this.#layout.tail, groundMs, this.#time(packet));
    if (typeof found === 'string') return { fault: `${found} of layout ${this.#found.layout}` };
    if (variant.ordinals.length > 0) {
      variant.fill(packet, into.row(variant.ordinals, groundMs, this.#time(packet)), spans);
    }
    if (found === undefined) return this.#found;
    for (const sample of found.samples) files?.samples.push(sample);
    for (const chunk of found.chunks) files?.chunks.push(chunk);
    return found.left.length === 0 ? this.#found : { layout: this.#found.layout, left: found.left };
  }

  #lengthFault(bytes: number, variant: Variant): string | undefined {
    const { length, name } = this.#layout;
    const least = Math.max(variant.bytes, this.#timeBytes, length?.min ?? 0);
    const most = length?.max ?? Number.POSITIVE_INFINITY;
    if (bytes >= least && bytes <= most) return undefined;
    return bytes < least
      ? `${bytes} bytes are too short for layout ${name}, which takes at least ${least}`
      : `${bytes} bytes are too long for layout ${name}, which takes at most ${most}`;
  }

  #variantOf(packet: Buffer): Variant {
    const present = groupsPresent(this.#groups, packet);
    if (present.length === 0) return this.#plain;
    const key = present.map(({ number }) => number).join(',');
    const known = this.#variants.get(key);
    if (known !== undefined) return known;
    const fields = [...this.#layout.fields, ...present.flatMap((group) => group.fields)];
    const variant = createVariant(fields, this.#layout.tail, this.#ordinal);
    if (this.#variants.size < VARIANTS_KEPT) this.#variants.set(key, variant);
    return variant;
  }
}

function filesReader({ listing, chunk }: LayoutConfiguration): FilesReader | undefined {
  if (listing !== undefined) return listingReader(listing);
  return chunk === undefined ? undefined : chunkReader(chunk);
}

/** A nested group can only be present when the one around it is. */
function groupsPresent(groups: readonly Group[], packet: Buffer): Group[] {
  return groups.flatMap((group) =>
    group.present(packet) ? [group, ...groupsPresent(group.when, packet)] : [],
  );
}

function timeReader({ epochMs, parts }: TimeConfiguration): (packet: Buffer) => number {
  const readers = parts.map((part) => {
    const read = numberReader({ ...part, kind: 'unsigned' });
    if (read === undefined) throw new RangeError('a part of a time has at most 53 bits');
    return { read, ms: part.ms };
  });
  return (packet) => readers.reduce((time, { read, ms }) => time + read(packet) * ms, epochMs);
}
