/** Images of the simulated unit: taken are those for its hardware, with the signature it trusts, whole. */

import { generateKeyPairSync } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { imageFault, makeImage } from '../../../links/unit/image.ts';

const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const stranger = generateKeyPairSync('ed25519').privateKey;
const CONTENT = Buffer.from('some\ncontent\n');
const WANTED = { hardware: 'C2', version: '1.5.0' };
const HEAD = { hardware: ['C1', 'C2'], version: '1.5.0' };
const sound = makeImage(HEAD, CONTENT, privateKey);

it('image.G1 takes an image for its hardware with the right signature', () => {
  expect(imageFault(sound, WANTED, publicKey)).toBeUndefined();
});

it.each([
  ['bad signature', makeImage(HEAD, CONTENT, stranger), WANTED],
  ['image of another hardware: it is for C1, C2, this unit is D1', sound, { ...WANTED, hardware: 'D1' }],
  ['the image is version 1.5.0, asked for is 1.6.0', sound, { ...WANTED, version: '1.6.0' }],
  ['its content is damaged', Buffer.concat([sound, Buffer.from('x')]), WANTED],
  ['it is not an image of this unit', Buffer.from('gibberish'), WANTED],
  ['it is not an image of this unit', Buffer.alloc(100_000, 'x'), WANTED],
] as const)('MC-UNIT-013 image.G2 refuses with %s', (reason, image, wanted) => {
  expect(imageFault(image, wanted, publicKey)).toBe(reason);
});

it('image.G1 refuses an image with any byte changed, and never throws', () => {
  fc.assert(
    fc.property(fc.nat({ max: sound.length - 1 }), fc.integer({ min: 1, max: 255 }), (at, change) => {
      const damaged = Buffer.from(sound);
      damaged[at]! ^= change;
      const fault = imageFault(damaged, WANTED, publicKey);
      // Of the base64 of a signature some bits stand for nothing.
      if (fault === undefined) expect(at).toBeGreaterThan(damaged.indexOf('\n'));
    }),
  );
  fc.assert(
    fc.property(fc.uint8Array(), (bytes) => typeof imageFault(bytes, WANTED, publicKey) === 'string'),
  );
});
