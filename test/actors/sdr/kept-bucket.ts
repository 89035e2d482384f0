/** A bucket that a test can take away, and that outlives who writes to it. */

import { Outage } from '../../../contract/outage.ts';
import type { Bucket, Entry, Watch, Written } from '../../../ports/bus.ts';

export class KeptBucket implements Bucket {
  readonly entries = new Map<string, Entry>();
  isAway = false;
  #revision = 0;

  async get(key: string): Promise<Entry | undefined> {
    this.#check();
    return this.entries.get(key);
  }

  async put(key: string, value: Uint8Array, expected: number): Promise<Written> {
    this.#check();
    if ((this.entries.get(key)?.revision ?? 0) !== expected) return { outcome: 'conflict' };
    return { outcome: 'written', revision: await this.overwrite(key, value) };
  }

  async overwrite(key: string, value: Uint8Array): Promise<number> {
    this.#check();
    this.#revision += 1;
    this.entries.set(key, { key, value: Buffer.from(value), revision: this.#revision, at: 0 });
    return this.#revision;
  }

  async remove(key: string, expected: number): Promise<Written> {
    this.#check();
    if ((this.entries.get(key)?.revision ?? 0) !== expected) return { outcome: 'conflict' };
    this.entries.delete(key);
    return { outcome: 'written', revision: this.#revision };
  }

  async watch(): Promise<Watch> {
    throw new Error('nobody here watches');
  }

  async list(): Promise<Entry[]> {
    this.#check();
    return [...this.entries.values()];
  }

  async position(): Promise<number> {
    return this.#revision;
  }

  #check(): void {
    if (this.isAway) throw new Outage('bus.unavailable', 'bucket');
  }
}
