/**
 * The directives between the two entities of a transaction, both ways, without the header. CCSDS 727.0-B-5, section
 * 5.2.
 *
 * D1. Reading gives `undefined` for what is cut off, too long or of an unknown kind; it never throws. Whether ranges
 *     make sense is for who acts on them to say.
 */

import type { ByteRange } from '../../contract/byte-ranges.ts';
import type { Condition } from './condition.ts';
import { Octets, writeLengthValue, writeSize } from './octets.ts';
import { readTlvs, type Tlv, writeTlvs } from './tlv.ts';

const code = { eof: 4, finished: 5, ack: 6, metadata: 7, nak: 8, prompt: 9, keepAlive: 12 } as const;

/** What an entity knows of a transaction it acknowledges something of. */
export const transactionStatus = { undefined: 0, active: 1, terminated: 2, unrecognized: 3 } as const;
/** What became of a file. */
export const fileStatus = { discarded: 0, rejected: 1, retained: 2, unreported: 3 } as const;

export interface Metadata {
  readonly kind: 'metadata';
  readonly closure: boolean;
  readonly checksumType: number;
  /** 0 also for a file whose size is not known yet. */
  readonly size: number;
  /** Both names are empty where there is no file. */
  readonly sourceName: string;
  readonly destinationName: string;
  readonly options: readonly Tlv[];
}

export interface Eof {
  readonly kind: 'eof';
  readonly condition: Condition;
  readonly checksum: number;
  readonly size: number;
  readonly options: readonly Tlv[];
}

export interface Finished {
  readonly kind: 'finished';
  readonly condition: Condition;
  readonly complete: boolean;
  readonly fileStatus: number;
  readonly options: readonly Tlv[];
}

export interface Ack {
  readonly kind: 'ack';
  readonly of: 'eof' | 'finished';
  readonly condition: Condition;
  readonly status: number;
}

/** The segment [0, 0) asks for the metadata. */
export interface Nak {
  readonly kind: 'nak';
  readonly scope: ByteRange;
  readonly segments: readonly ByteRange[];
}

export interface Prompt {
  readonly kind: 'prompt';
  readonly response: 'nak' | 'keepAlive';
}

export interface KeepAlive {
  readonly kind: 'keepAlive';
  readonly progress: number;
}

export type Directive = Metadata | Eof | Finished | Ack | Nak | Prompt | KeepAlive;

/** Octets of a NAK before its segments, and of each of them. */
export function nakBytes(large: boolean): { readonly fixed: number; readonly segment: number } {
  const size = large ? 8 : 4;
  return { fixed: 1 + 2 * size, segment: 2 * size };
}

export function readDirective(bytes: Buffer, large: boolean): Directive | undefined {
  const octets = new Octets(bytes);
  const directive = readers[octets.byte()]?.(octets, large);
  return octets.short || octets.left > 0 ? undefined : directive;
}

type Reader = (octets: Octets, large: boolean) => Directive | undefined;

const readers: Readonly<Record<number, Reader>> = {
  [code.metadata]: (octets, large) => {
    const flags = octets.byte();
    const size = octets.size(large);
    const sourceName = octets.lengthValue().toString('utf8');
    const destinationName = octets.lengthValue().toString('utf8');
    const options = readTlvs(octets);
    const fixed = { closure: (flags & 0x40) !== 0, checksumType: flags & 0x0f, size };
    return options && { kind: 'metadata', ...fixed, sourceName, destinationName, options };
  },
  [code.eof]: (octets, large) => {
    const condition = octets.byte() >>> 4;
    const checksum = octets.size(false);
    const size = octets.size(large);
    const options = readTlvs(octets);
    return options && { kind: 'eof', condition, checksum, size, options };
  },
  [code.finished]: (octets) => {
    const flags = octets.byte();
    const options = readTlvs(octets);
    const said = { condition: flags >>> 4, complete: (flags & 0x04) === 0, fileStatus: flags & 0x03 };
    return options && { kind: 'finished', ...said, options };
  },
  [code.ack]: (octets) => {
    const directive = octets.byte() >>> 4;
    const flags = octets.byte();
    if (directive !== code.eof && directive !== code.finished) return undefined;
    const of = directive === code.eof ? 'eof' : 'finished';
    return { kind: 'ack', of, condition: flags >>> 4, status: flags & 0x03 };
  },
  [code.nak]: (octets, large) => {
    const scope = readRange(octets, large);
    const segments: ByteRange[] = [];
    while (octets.left > 0) segments.push(readRange(octets, large));
    return { kind: 'nak', scope, segments };
  },
  [code.prompt]: (octets) => {
    return { kind: 'prompt', response: (octets.byte() & 0x80) === 0 ? 'nak' : 'keepAlive' };
  },
  [code.keepAlive]: (octets, large) => ({ kind: 'keepAlive', progress: octets.size(large) }),
};

function readRange(octets: Octets, large: boolean): ByteRange {
  const start = octets.size(large);
  return [start, octets.size(large)];
}

export function writeDirective(directive: Directive, large: boolean): Buffer {
  return Buffer.concat([Buffer.of(code[directive.kind]), ...writeFields(directive, large)]);
}

function writeFields(directive: Directive, large: boolean): Buffer[] {
  switch (directive.kind) {
    case 'metadata':
      return [
        Buffer.of((directive.closure ? 0x40 : 0) | directive.checksumType),
        writeSize(directive.size, large),
        writeLengthValue(Buffer.from(directive.sourceName, 'utf8')),
        writeLengthValue(Buffer.from(directive.destinationName, 'utf8')),
        writeTlvs(directive.options),
      ];
    case 'eof': {
      const { condition, checksum, size, options } = directive;
      const fixed = [Buffer.of(condition << 4), writeSize(checksum, false), writeSize(size, large)];
      return [...fixed, writeTlvs(options)];
    }
    case 'finished': {
      const { condition, complete, fileStatus, options } = directive;
      return [Buffer.of((condition << 4) | (complete ? 0 : 0x04) | fileStatus), writeTlvs(options)];
    }
    case 'ack': {
      // The subtype of an acknowledgement of Finished is 1.
      const of = (code[directive.of] << 4) | (directive.of === 'finished' ? 1 : 0);
      return [Buffer.of(of, (directive.condition << 4) | directive.status)];
    }
    case 'nak':
      return [directive.scope, ...directive.segments].flat().map((size) => writeSize(size, large));
    case 'prompt':
      return [Buffer.of(directive.response === 'nak' ? 0 : 0x80)];
    case 'keepAlive':
      return [writeSize(directive.progress, large)];
  }
}
