/**
 * What a buffer carries: which channels, in which places of a sample, and how the protocol of iiod names them.
 *
 * S1. The protocol counts channels by their place in the device once those of the buffer are sorted to the front, by
 *     their scan index; a mask of this service is by scan index. The two differ where an index is missing.
 */

import { errno, type IioChannel, type IioDevice, IioFailure } from './context.ts';

/** Channels of one word of a mask on the line. */
const WORD_BITS = 32;
const WORD_DIGITS = 8;
/** Scan indices that fit into a mask of this service. */
const INDICES = 32;
/** As in `le:S12/16>>0`: bits used, bits stored, how many times. */
const FORMAT = /^[lb]e:[sSuU](\d{1,3})\/(\d{1,3})(?:X(\d{1,4}))?>>\d{1,3}$/;

/**
 * The mask of a device as the protocol writes it; refused with EINVAL when it names no channel or one that is not
 * there.
 */
export function maskWords(device: IioDevice, mask: number): string {
  const scanned = scannedChannels(device);
  const chosen = scanned.map(({ scan }) => chosenBy(mask, scan.index));
  const known = scanned.reduce((bits, { scan }) => (bits | bit(scan.index)) >>> 0, 0);
  if (mask >>> 0 === 0 || (mask & ~known) !== 0)
    throw new IioFailure(
      errno.EINVAL,
      `${device.name} has no such channels: mask ${mask} of ${known >>> 0} that there are`,
    );
  const words = new Array<number>(wordsOf(device)).fill(0);
  for (const [number, isChosen] of chosen.entries())
    if (isChosen) words[Math.floor(number / WORD_BITS)]! |= 1 << (number % WORD_BITS);
  return words
    .reverse()
    .map((word) => (word >>> 0).toString(16).padStart(WORD_DIGITS, '0'))
    .join('');
}

/**
 * The mask behind one of the protocol; undefined when that has another length or names a channel that no buffer
 * carries.
 */
export function readMaskWords(device: IioDevice, text: string): number | undefined {
  if (text.length !== wordsOf(device) * WORD_DIGITS || !/^[\da-fA-F]+$/.test(text)) return undefined;
  const scanned = scannedChannels(device);
  let mask = 0;
  for (let number = 0; number < text.length * 4; number += 1) {
    if (!isSet(text, number)) continue;
    const index = scanned[number]?.scan.index;
    if (index === undefined || index >= INDICES) return undefined;
    mask |= bit(index);
  }
  return mask >>> 0;
}

/**
 * Bytes of a sample of the channels chosen, each at a multiple of its own size; refused with EINVAL for a format
 * without size.
 */
export function sampleBytes(device: IioDevice, mask: number): number {
  let size = 0;
  let previous = -1;
  for (const channel of scannedChannels(device)) {
    const { index } = channel.scan;
    if (!chosenBy(mask, index) || index === previous) continue;
    const bytes = channelBytes(device, channel);
    size = Math.ceil(size / bytes) * bytes + bytes;
    previous = index;
  }
  return size;
}

type ScannedChannel = IioChannel & { readonly scan: NonNullable<IioChannel['scan']> };

/** S1 */
function scannedChannels({ channels }: IioDevice): ScannedChannel[] {
  return channels
    .filter((channel): channel is ScannedChannel => channel.scan !== undefined)
    .sort((a, b) => a.scan.index - b.scan.index);
}

function wordsOf({ channels }: IioDevice): number {
  return Math.ceil(channels.length / WORD_BITS);
}

function bit(index: number): number {
  return index < INDICES ? (1 << index) >>> 0 : 0;
}

function chosenBy(mask: number, index: number): boolean {
  return (mask & bit(index)) !== 0;
}

/** The most significant word comes first. */
function isSet(text: string, number: number): boolean {
  const digit = text[text.length - 1 - Math.floor(number / 4)]!;
  return ((Number.parseInt(digit, 16) >> (number % 4)) & 1) === 1;
}

function channelBytes(device: IioDevice, { id, scan }: ScannedChannel): number {
  const [, , stored, repeat = '1'] = FORMAT.exec(scan.format) ?? [];
  const bytes = (Number(stored) / 8) * Number(repeat);
  if (Number.isInteger(bytes) && bytes > 0) return bytes;
  throw new IioFailure(
    errno.EINVAL,
    `${device.name} ${id} has the format "${scan.format}", which gives no size`,
  );
}
