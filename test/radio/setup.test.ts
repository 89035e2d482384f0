/** Registers of the modem that follow from a profile. */

import { expect, it } from 'vitest';
import type { Profile } from '../../contract/bench/profile.ts';
import { QPSK, setupFor } from './board-reading.ts';

/** The bits of register `framing`. */
const SLOTS = 1;
const SCRAMBLER = 2;
const DIFFERENTIAL = 4;

const registersOf = (changed: Partial<Profile>) => setupFor({ ...QPSK, ...changed }).registers;

it.each<[Profile['framing'], number]>([
  [undefined, 0],
  [{ kind: 'stream' }, 0],
  [{ kind: 'slot' }, SLOTS],
  [{ kind: 'slot', scrambler: 'none' }, SLOTS],
  [{ kind: 'stream', scrambler: 'ccsds' }, SCRAMBLER],
  [{ kind: 'stream', differential: true }, DIFFERENTIAL],
  [{ kind: 'stream', differential: false }, 0],
  [{ kind: 'slot', scrambler: 'ccsds', differential: true }, SLOTS | SCRAMBLER | DIFFERENTIAL],
])('framing %j is %i', (framing, bits) => {
  const { framing: _, ...plain } = QPSK;
  const profile = framing === undefined ? plain : { ...plain, framing };
  expect(setupFor(profile).registers.framing).toBe(bits);
});

it.each<[Profile['fec'], number]>([
  [{}, 0x100],
  [{ inner: 'none', outer: 'none' }, 0x100],
  [{ inner: 'conv-1/2' }, 0x101],
  [{ outer: 'rs-255-223' }, 0x102],
  [{ inner: 'conv-1/2', outer: 'rs-255-223', interleave: 5 }, 0x503],
])('coding %j is %i', (fec, bits) => {
  expect(registersOf(fec === undefined ? {} : { fec }).coding).toBe(bits);
});

it('frame, sync word and pulse are those of the profile, or those that are usual', () => {
  expect(registersOf({})).toMatchObject({ frameLength: 256, syncWord: 0x1acffc1d, rolloff: 350 });
  expect(
    registersOf({
      framing: { kind: 'slot', frame_len: 1_024, sync_word_hex: 'ffeeddcc' },
      pulse: { shape: 'rrc', rolloff: 0.2 },
    }),
  ).toMatchObject({ frameLength: 1_024, syncWord: 0xffeeddcc, rolloff: 200 });
  expect(registersOf({ framing: { kind: 'slot' } })).toMatchObject({ frameLength: 256, syncWord: 0 });
});
