/**
 * What a packet must hold for a layout, or for a group of fields in it.
 *
 * K1. A test beyond the end of the packet is false, never an error.
 */

import { numberReader } from './field.ts';
import type { MatchConfiguration } from './layout.ts';

export type PacketTest = (packet: Buffer) => boolean;

/** True for packets that pass every match. */
export function packetTest(matches: readonly MatchConfiguration[]): PacketTest {
  const tests = matches.map(matchTest);
  const [first, second] = tests;
  if (first === undefined) return () => true;
  if (second === undefined) return first;
  return (packet) => tests.every((test) => test(packet));
}

function matchTest(match: MatchConfiguration): PacketTest {
  const { equals, min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY } = match;
  const bytes = Math.ceil((match.at + match.bits) / 8);
  const read = numberReader({ ...match, kind: match.signed === true ? 'signed' : 'unsigned' });
  if (read === undefined) throw new RangeError('a match reads at most 53 bits');
  const only = equals?.length === 1 ? equals[0] : undefined;
  if (only !== undefined) return (packet) => packet.length >= bytes && read(packet) === only;
  if (equals !== undefined) return (packet) => packet.length >= bytes && equals.includes(read(packet));
  return (packet) => {
    if (packet.length < bytes) return false;
    const value = read(packet);
    return value >= min && value <= max;
  };
}
