/**
 * A packet layout as it stands in the compiled configuration: positions resolved to bits, names to measure keys.
 *
 * L1. A position is counted in bits from the start of the packet (`origin` 0), or from the end of a field of varying
 *     length (`origin` n: the n-th such field of the layout).
 */

import { isFloatType } from '../value-type.ts';

/** How a field's bits are read. */
export type FieldKind = 'unsigned' | 'signed' | 'float' | 'bool' | 'string' | 'bytes';

/** How a field of a value type is read. */
export function kindOfType(type: string): FieldKind {
  if (type === 'bool' || type === 'string' || type === 'bytes') return type;
  if (isFloatType(type)) return 'float';
  return type.startsWith('i') ? 'signed' : 'unsigned';
}

export interface PositionConfiguration {
  /** First bit, from the origin. */
  readonly at: number;
  readonly bits: number;
  readonly little?: true;
}

export interface FieldConfiguration extends PositionConfiguration {
  readonly kind: FieldKind;
  readonly origin: number;
  /** Key of the measure. Fields that are skipped are not kept. */
  readonly to?: string;
  readonly scale?: number;
  /** Bits of the length written first; the field then begins with it and `bits` counts only it. */
  readonly prefix?: 8 | 16;
  /** The origin this field makes for those after it. */
  readonly makesOrigin?: number;
  /** Up to the end of the data. */
  readonly rest?: true;
}

export interface MatchConfiguration extends PositionConfiguration {
  readonly signed?: true;
  readonly equals?: readonly number[];
  readonly min?: number;
  readonly max?: number;
}

export interface GroupConfiguration {
  readonly match: readonly MatchConfiguration[];
  readonly fields: readonly FieldConfiguration[];
  readonly when: readonly GroupConfiguration[];
}

export interface TimeConfiguration {
  readonly epochMs: number;
  readonly parts: readonly (PositionConfiguration & { readonly ms: number })[];
}

/** Which CSP packets a layout is for: all that is given must be equal. */
export interface CspSelection {
  /** Destination port. */
  readonly port?: number;
  readonly sourcePort?: number;
  /** Address of the sender. */
  readonly source?: number;
}

/** A field of an entry or chunk, behind the one before it. */
export interface FileFieldConfiguration {
  readonly kind: 'unsigned' | 'bytes';
  /** Of bytes of varying length 0. */
  readonly bits: number;
  readonly little?: true;
  readonly scale?: number;
  /** Bits of the length written first. */
  readonly prefix?: 8 | 16;
  /** Up to the end of the data. */
  readonly rest?: true;
  /** What it says of the file; absent: skipped. */
  readonly to?: 'id' | 'file_type' | 'size' | 'checksum' | 'generation' | 'offset' | 'data';
}

/** Entries of the on-board directory, one behind the other. */
export interface ListingConfiguration {
  /** First byte of the first entry. */
  readonly at: number;
  /** How many there are; absent: up to the end of the data. */
  readonly count?: PositionConfiguration;
  readonly entry: readonly FileFieldConfiguration[];
}

/** A part of a file. */
export interface ChunkConfiguration {
  /** First byte of its first field. */
  readonly at: number;
  readonly fields: readonly FileFieldConfiguration[];
}

export interface LayoutConfiguration extends GroupConfiguration {
  readonly name: string;
  /** Also in `match`; lets a reader look up layouts instead of trying each. */
  readonly apid?: number;
  /** Of a CSP packet; positions then count from the first byte of its data. */
  readonly csp?: CspSelection;
  readonly length?: { readonly min?: number; readonly max?: number };
  /** Bytes at the end that are no data. */
  readonly tail: number;
  readonly time?: TimeConfiguration;
  readonly listing?: ListingConfiguration;
  readonly chunk?: ChunkConfiguration;
}
