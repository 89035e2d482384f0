/**
 * What a simulated unit keeps over its restarts, in a folder of its own: its seed and version, its credential, and the
 * key whose signature its images need.
 *
 * U1. Each file is written whole or not at all, and what is secret is readable by its owner alone.
 */

import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { credentialsText, newUnitSeed, publicKeyOf } from '../../bus/unit-line.ts';

interface Kept {
  readonly seed: string;
  readonly version: string;
}

export class UnitState {
  /** Of the bus. */
  readonly credentials: string;
  readonly #path: string;
  #kept: Kept;

  private constructor(folder: string, kept: Kept) {
    this.credentials = join(folder, 'unit.creds');
    this.#path = join(folder, 'unit.json');
    this.#kept = kept;
  }

  /** The state in the folder; made there with this version where there is none. Rejects a damaged one. */
  static async open(folder: string, version: string): Promise<UnitState> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const text = await textOf(join(folder, 'unit.json'));
    const kept = text === undefined ? { seed: newUnitSeed(), version } : keptIn(text, folder);
    const state = new UnitState(folder, kept);
    if (text === undefined) await writeWhole(state.#path, JSON.stringify(kept));
    return state;
  }

  get version(): string {
    return this.#kept.version;
  }

  get publicKey(): string {
    return publicKeyOf(this.#kept.seed);
  }

  /** Whether it has a credential, of whatever age. */
  async isEnrolled(): Promise<boolean> {
    return (await textOf(this.credentials)) !== undefined;
  }

  keepCredential(jwt: string): Promise<void> {
    return writeWhole(this.credentials, credentialsText(jwt, this.#kept.seed));
  }

  async keepVersion(version: string): Promise<void> {
    this.#kept = { ...this.#kept, version };
    await writeWhole(this.#path, JSON.stringify(this.#kept));
  }
}

/** The private key in the file; made where there is none, with its public part beside it. */
export async function imageKey(path: string): Promise<KeyObject> {
  const text = await textOf(path);
  if (text !== undefined) return createPrivateKey(text);
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  await writeWhole(path, privateKey.export({ type: 'pkcs8', format: 'pem' }).toString());
  await writeWhole(`${path}.pub`, publicKey.export({ type: 'spki', format: 'pem' }).toString());
  return privateKey;
}

/** The public key in the file. */
export async function trustedKey(path: string): Promise<KeyObject> {
  return createPublicKey(await readFile(path, 'utf8'));
}

function keptIn(text: string, folder: string): Kept {
  try {
    const { seed, version } = JSON.parse(text) as Partial<Kept>;
    if (typeof seed === 'string' && typeof version === 'string' && publicKeyOf(seed) !== '')
      return { seed, version };
  } catch {
    // Said below, without what is secret in it.
  }
  throw new Error(
    `${folder}/unit.json is not the state of a unit; remove the folder to begin with a new key`,
  );
}

async function textOf(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
}

/** U1 */
async function writeWhole(path: string, text: string): Promise<void> {
  await writeFile(`${path}.new`, text, { mode: 0o600, flush: true });
  await rename(`${path}.new`, path);
}
