/**
 * NKeys whose Ed25519 is that of Node.js (OpenSSL). The package brings one in JavaScript, which takes 3 ms for each
 * signature and each public key, and 40 ms for the first: a quarter of the processor time of a process that starts. The
 * client of NATS signs through the same package, so every module that connects or signs imports this one.
 */

import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import 'nkeys.js';
import { getEd25519Helper, setEd25519Helper } from 'nkeys.js/lib/helper.js';

export { createAccount, createOperator, createUser, fromPublic, fromSeed, type KeyPair } from 'nkeys.js';

/** What stands before the 32 bytes in the DER of a private key (PKCS #8) and of a public one (SPKI); RFC 8410. */
const PRIVATE_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex');
const PUBLIC_HEAD = Buffer.from('302a300506032b6570032100', 'hex');
const KEY_BYTES = 32;

const privateKey = (seed: Uint8Array): KeyObject =>
  createPrivateKey({ key: Buffer.concat([PRIVATE_HEAD, seed]), format: 'der', type: 'pkcs8' });

const publicKey = (bytes: Uint8Array): KeyObject =>
  createPublicKey({ key: Buffer.concat([PUBLIC_HEAD, bytes]), format: 'der', type: 'spki' });

setEd25519Helper({
  ...getEd25519Helper(),
  fromSeed(seed) {
    const der = createPublicKey(privateKey(seed)).export({ format: 'der', type: 'spki' });
    const bytes = new Uint8Array(der.subarray(-KEY_BYTES));
    // As NaCl has it: the seed, and the public key behind it.
    return { publicKey: bytes, secretKey: Uint8Array.from([...seed, ...bytes]) };
  },
  sign: (data, secretKey) => new Uint8Array(sign(null, data, privateKey(secretKey.subarray(0, KEY_BYTES)))),
  verify: (data, signature, bytes) => verify(null, data, publicKey(bytes), signature),
});
