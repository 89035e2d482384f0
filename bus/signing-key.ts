/**
 * A key that signs many tokens. The library derives the key pair again for each signature, in JavaScript: 32 ms in
 * which nothing else is done. Here it is derived once, and OpenSSL signs.
 */

import { createPrivateKey, sign } from 'node:crypto';
import { fromSeed, type KeyPair } from './nkeys.ts';

/** What stands before the seed of an Ed25519 key in PKCS #8. */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');
/** There are as many as signers of a process: few. */
const made = new Map<string, KeyPair>();

/** The key pair of a seed, for signing. */
export function signingKey(seed: string): KeyPair {
  const kept = made.get(seed);
  if (kept !== undefined) return kept;
  const slow = fromSeed(new TextEncoder().encode(seed)) as KeyPair & { getRawSeed(): Uint8Array };
  const publicKey = slow.getPublicKey();
  const key = createPrivateKey({
    key: Buffer.concat([PKCS8, slow.getRawSeed()]),
    format: 'der',
    type: 'pkcs8',
  });
  const fast: KeyPair = Object.create(slow, {
    getPublicKey: { value: () => publicKey },
    sign: { value: (input: Uint8Array) => sign(null, input, key) },
  });
  made.set(seed, fast);
  return fast;
}
