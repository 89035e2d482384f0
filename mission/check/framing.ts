/**
 * The framing of a gateway over UDP or TCP, or of a file on board: document to configuration. Every key belongs to one
 * kind of framing, and what does not fit its kind is said.
 */

import { FRAME_BYTES } from '../../contract/limits/link.ts';
import type { FramingDocument, LengthFieldDocument } from '../document/endpoint.ts';
import type { FaultsAt } from '../document/fault.ts';
import type { FramingConfiguration, LengthField, MarkerFramingConfiguration } from '../endpoint.ts';

/** Longest line when the document says nothing: far beyond what a terminal of a radio prints at once. */
const LINE_BYTES = 4_096;
/** Fewer bytes come up in noise all the time, more are no known marker. */
const MARKER_BYTES = { least: 2, most: 32 } as const;
const HEXADECIMAL = /^(0x)?([0-9A-Fa-f]{2})+$/;

const KEYS = {
  'space-packet': ['kind', 'max', 'apids'],
  line: ['kind', 'max', 'ending'],
  marker: ['kind', 'max', 'marker', 'length', 'contiguous', 'keep'],
  kiss: ['kind', 'max'],
} as const satisfies Record<FramingDocument['kind'], readonly (keyof FramingDocument)[]>;

/** The framing; undefined when it lacks something it cannot be without. */
export function checkFraming(document: FramingDocument, faults: FaultsAt): FramingConfiguration | undefined {
  const { kind, max = FRAME_BYTES, apids } = document;
  checkKeys(document, faults);
  if (max > FRAME_BYTES)
    faults.in('max').fault(`${max} bytes exceed the longest frame`, `stay within ${FRAME_BYTES}`);
  switch (kind) {
    case 'space-packet':
      return { kind, maxBytes: max, ...(apids !== undefined && { apids }) };
    case 'line':
      return { kind, maxBytes: document.max ?? LINE_BYTES, ending: document.ending ?? 'lf' };
    case 'marker':
      return checkMarkerFraming(document, max, faults);
    case 'kiss':
      return { kind, maxBytes: max };
  }
}

function checkKeys(document: FramingDocument, faults: FaultsAt): void {
  const known: readonly string[] = KEYS[document.kind];
  for (const key of Object.keys(document)) {
    if (known.includes(key)) continue;
    faults.in(key).keyFault(`framing by ${document.kind} has no "${key}"`, `it has ${known.join(', ')}`);
  }
}

function checkMarkerFraming(
  document: FramingDocument,
  max: number,
  faults: FaultsAt,
): MarkerFramingConfiguration | undefined {
  const marker = markerOf(document.marker, faults);
  const length = lengthOf(document.length, max, faults);
  if (marker === undefined || length === undefined) return undefined;
  return {
    kind: 'marker',
    marker,
    maxBytes: length.kind === 'fixed' ? length.bytes : max,
    length,
    contiguous: document.contiguous ?? false,
    keep: document.keep ?? false,
  };
}

function markerOf(marker: FramingDocument['marker'], faults: FaultsAt): string | undefined {
  const help = 'give the bytes in hexadecimal and in quotes, like marker: "1ACFFC1D"';
  if (marker === undefined) {
    faults.fault('framing by marker needs the key "marker"', help);
    return undefined;
  }
  if (typeof marker !== 'string' || !HEXADECIMAL.test(marker)) {
    faults.in('marker').fault(`${JSON.stringify(marker)} is no hexadecimal text`, help);
    return undefined;
  }
  const hexadecimal = marker.replace(/^0x/, '').toLowerCase();
  const bytes = hexadecimal.length / 2;
  if (bytes >= MARKER_BYTES.least && bytes <= MARKER_BYTES.most) return hexadecimal;
  const fits = `a marker has ${MARKER_BYTES.least} to ${MARKER_BYTES.most} bytes`;
  faults.in('marker').fault(`the marker has ${bytes} ${bytes === 1 ? 'byte' : 'bytes'}`, fits);
  return undefined;
}

function lengthOf(
  length: FramingDocument['length'],
  max: number,
  faults: FaultsAt,
): MarkerFramingConfiguration['length'] | undefined {
  if (length === undefined) {
    const help =
      'give length: bytes after the marker, or length: { at: 4, bytes: 2 } for the field that holds it';
    faults.fault('framing by marker needs the key "length"', help);
    return undefined;
  }
  if (typeof length !== 'number') return lengthField(length, max, faults.in('length'));
  if (length > max)
    faults.in('length').fault(`${length} bytes are more than the ${max} allowed`, 'shorten it');
  return { kind: 'fixed', bytes: length };
}

function lengthField(document: LengthFieldDocument, max: number, faults: FaultsAt): LengthField {
  const { at, bytes, endian = 'big', add = 0 } = document;
  if (at + bytes > max)
    faults
      .in('at')
      .fault(`the field ends ${at + bytes} bytes after the marker, beyond any frame`, `max is ${max}`);
  return { kind: 'field', at, bytes: bytes as LengthField['bytes'], endian, add };
}
