/**
 * The packet layouts of a platform document: positions resolved to bits, measures to keys. Mission Control Service,
 * section 6 (decoded telemetry).
 *
 * K1. A field without `at` follows the field before it; the first of a group follows the last field around the group.
 * K2. A measure is read at most once from one packet.
 */

import { nearHelp } from '../../contract/near.ts';
import type { FaultsAt } from '../document/fault.ts';
import type { Packet, PacketField, PacketGroup, PacketMatch } from '../document/layout.ts';
import type {
  CspSelection,
  FieldConfiguration,
  GroupConfiguration,
  LayoutConfiguration,
  MatchConfiguration,
} from '../layout/layout.ts';
import { boundsOf } from '../value-type.ts';
import { checkPosition, type FieldPosition, type MeasureLookup } from './field.ts';
import { checkFileParts } from './file-layout.ts';
import { checkTime } from './time.ts';

/** First bit and width of what a space packet and a PUS-C telemetry header hold. */
const APID = { at: 5, bits: 11 };
const SERVICE = { at: 56, bits: 8 };
const SUBTYPE = { at: 64, bits: 8 };

/** The layout as far as it holds. */
export function checkPacket(
  name: string,
  document: Packet,
  measures: MeasureLookup,
  faults: FaultsAt,
): LayoutConfiguration {
  const { apid, length, tail = 0, fields = [] } = document;
  checkHeader(document, faults);
  const group = checkGroup({ ...document, fields }, measures, new Walk(), faults);
  const match = [...headMatches(document), ...group.match];
  if (match.length === 0 && document.csp === undefined)
    faults.fault('nothing says which packets it is for', 'give apid, service and subtype, csp, or match');
  const time = document.time === undefined ? undefined : checkTime(document.time, faults.in('time'));
  return {
    name,
    ...(apid !== undefined && { apid }),
    ...(document.csp !== undefined && { csp: selectionOf(document.csp) }),
    ...(length !== undefined && { length }),
    tail,
    ...(time !== undefined && { time }),
    ...group,
    match,
    ...checkFileParts(document, faults),
  };
}

/** What names the packet, and where its first field is. */
function checkHeader(document: Packet, faults: FaultsAt): void {
  const { apid, service, subtype, length } = document;
  if ((service === undefined) !== (subtype === undefined)) {
    faults.fault('service and subtype go together', 'give both or neither');
  }
  const groups = (document.when ?? []) as readonly PacketGroup[];
  const first = document.fields?.[0] ?? groups[0]?.fields[0];
  if (service !== undefined && first !== undefined && first.at === undefined) {
    const help = 'positions count from the first byte of the packet, headers included';
    faults.in('fields').fault('the first field needs `at`', help);
  }
  if (document.csp !== undefined && (apid !== undefined || service !== undefined)) {
    faults.in('csp').fault('a CSP packet has no APID, service or subtype', 'keep csp, or the others');
  }
  if (length?.min !== undefined && length.max !== undefined && length.min > length.max) {
    faults.in('length').fault(`min ${length.min} is above max ${length.max}`, 'exchange them');
  }
}

function headMatches({ apid, service, subtype }: Packet): MatchConfiguration[] {
  const head: MatchConfiguration[] = [];
  if (apid !== undefined) head.push({ ...APID, equals: [apid] });
  if (service !== undefined) head.push({ ...SERVICE, equals: [service] });
  if (subtype !== undefined) head.push({ ...SUBTYPE, equals: [subtype] });
  return head;
}

function selectionOf({ port, source_port, source }: NonNullable<Packet['csp']>): CspSelection {
  return {
    ...(port !== undefined && { port }),
    ...(source_port !== undefined && { sourcePort: source_port }),
    ...(source !== undefined && { source }),
  };
}

/** Where the walk through the fields stands. */
class Walk {
  /** Bit after the last field, from the origin. */
  next = 0;
  origin = 0;
  /** A field took the rest of the data. */
  ended = false;
  readonly #count: { origins: number };
  /** Fields at fixed places seen on the way, by what they are read to. */
  readonly fields: Map<string, FieldPosition>;

  constructor(around?: Walk) {
    this.#count = around === undefined ? { origins: 0 } : around.#count;
    this.fields = new Map(around?.fields);
    if (around === undefined) return;
    [this.next, this.origin] = [around.next, around.origin];
    this.ended = around.ended;
  }

  /** A new origin, behind a field of varying length. */
  nextOrigin(): number {
    this.#count.origins += 1;
    [this.next, this.origin] = [0, this.#count.origins];
    return this.origin;
  }
}

function checkGroup(
  document: {
    readonly match?: readonly PacketMatch[] | undefined;
    readonly fields: readonly PacketField[];
    readonly when?: readonly unknown[] | undefined;
  },
  measures: MeasureLookup,
  walk: Walk,
  faults: FaultsAt,
): GroupConfiguration {
  const match = (document.match ?? []).flatMap((each, index) =>
    checkMatch(each, walk, faults.in('match', index)),
  );
  const fields = document.fields.flatMap((field, index) =>
    checkField(field, measures, walk, faults.in('fields', index)),
  );
  const groups = (document.when ?? []) as readonly PacketGroup[];
  const when = groups.map((group, index) =>
    checkGroup(group, measures, new Walk(walk), faults.in('when', index)),
  );
  return { match, fields, when };
}

function checkField(
  document: PacketField,
  measures: MeasureLookup,
  walk: Walk,
  faults: FaultsAt,
): FieldConfiguration[] {
  const place = checkPosition(document, measures, faults);
  if (place === undefined) return [];
  const at = positionOf(document, walk, faults);
  const { to } = document;
  if (walk.ended) faults.fault('the field before takes the rest of the data', 'put it last');
  const field: FieldConfiguration = { at, origin: walk.origin, ...place, ...(to !== 'skip' && { to }) };
  if (place.little === true && at % 8 !== 0)
    faults.in('endian').fault('little endian needs a byte boundary', 'leave it out');
  const text = place.kind === 'string' || place.kind === 'bytes';
  if (text && at % 8 !== 0) faults.fault(`a ${place.kind} field begins inside a byte`, 'give `at`');
  if (walk.fields.has(to)) faults.in('to').fault(`${to} is read twice from one packet`, 'read it once');
  if (to !== 'skip') walk.fields.set(to, { at, origin: walk.origin, ...place });
  walk.ended ||= place.rest === true;
  if (place.prefix !== undefined || place.rest === true) {
    return [{ ...field, makesOrigin: walk.nextOrigin() }];
  }
  walk.next = at + place.bits;
  return to === 'skip' ? [] : [field];
}

function positionOf({ at, bit }: Pick<PacketField, 'at' | 'bit'>, walk: Walk, faults: FaultsAt): number {
  if (at === undefined) {
    if (bit !== undefined) faults.in('bit').fault('bit belongs to at', 'give `at` as well, or leave bit out');
    return walk.next;
  }
  if (walk.origin > 0) {
    faults
      .in('at')
      .fault('the field before has no fixed length, so this one has no fixed position', 'leave `at` out');
  }
  return at * 8 + (bit ?? 0);
}

function checkMatch(document: PacketMatch, walk: Walk, faults: FaultsAt): MatchConfiguration[] {
  const { equals, min, max } = document;
  if (equals === undefined && min === undefined && max === undefined) {
    faults.fault('it says no value', 'give equals, or min and max');
  }
  if (equals !== undefined && (min !== undefined || max !== undefined)) {
    faults.fault('equals and min or max exclude each other', 'keep one');
  }
  const place =
    document.field === undefined ? matchPlace(document, faults) : fieldPlace(document, walk, faults);
  if (place === undefined) return [];
  const signed = place.kind === 'signed';
  const values = typeof equals === 'number' ? [equals] : equals;
  for (const value of [...(values ?? []), min ?? 0, max ?? 0]) {
    const { least, most } = boundsOf(signed, place.bits);
    if (value < least || value > most)
      faults.fault(`${value} does not fit in ${place.bits} bits`, `${least} to ${most} do`);
  }
  return [
    {
      at: place.at,
      bits: place.bits,
      ...(place.little === true && { little: true as const }),
      ...(signed && { signed: true as const }),
      ...(values !== undefined && { equals: values }),
      ...(min !== undefined && { min }),
      ...(max !== undefined && { max }),
    },
  ];
}

function matchPlace(document: PacketMatch, faults: FaultsAt): FieldPosition | undefined {
  const { at, bit = 0, bits, type, endian } = document;
  if (at === undefined) {
    faults.fault('it says no place', 'give `at` with bits or type, or `field`');
    return undefined;
  }
  const place = checkPosition(
    {
      ...(type !== undefined && { type }),
      ...(bits !== undefined && { bits }),
      ...(endian !== undefined && { endian }),
      to: 'skip',
    },
    () => undefined,
    faults,
  );
  return place === undefined ? undefined : matchable({ at: at * 8 + bit, origin: 0, ...place }, faults);
}

function fieldPlace(
  { field = '', at, bits, type }: PacketMatch,
  walk: Walk,
  faults: FaultsAt,
): FieldPosition | undefined {
  if (at !== undefined || bits !== undefined || type !== undefined) {
    faults.fault('field gives the position; at, bits and type are for matches without field', 'keep one');
  }
  const place = walk.fields.get(field);
  if (place === undefined) {
    faults
      .in('field')
      .fault(`no field before it is read to "${field}"`, nearHelp(field, walk.fields.keys(), 'fields'));
    return undefined;
  }
  return matchable(place, faults);
}

function matchable(place: FieldPosition, faults: FaultsAt): FieldPosition | undefined {
  if (place.kind === 'float' || place.kind === 'string' || place.kind === 'bytes' || place.bits > 53) {
    faults.fault(
      `${place.bits} bits of ${place.kind} cannot be matched`,
      'match an integer of at most 53 bits',
    );
    return undefined;
  }
  if (place.origin > 0 || place.prefix !== undefined) {
    faults.fault('a field without a fixed position cannot be matched', 'match a field before it');
    return undefined;
  }
  if (place.little === true && place.at % 8 !== 0) {
    faults.in('endian').fault('little endian needs a byte boundary', 'leave it out');
    return undefined;
  }
  return place;
}
