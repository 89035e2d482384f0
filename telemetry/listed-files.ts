/**
 * The on-board directories of every target, folded from the value stream. Mission Control Service, section 2.8.
 *
 * D1. What is listed of a file with another generation belongs to that one alone: nothing of an earlier listing is kept
 *     beside it (MC-GEN-022).
 * D2. Nothing is read before somebody asks: most processes never do.
 */

import { decodeBatch, type FileSample, type ValueBatch } from '../contract/batch.ts';
import { streams } from '../contract/bus/streams.ts';
import { subject } from '../contract/bus/subjects.ts';
import { BUS_RETRY_MS } from '../contract/limits.ts';
import { Outage } from '../contract/outage.ts';
import type { Bus, Follower, Stoppable, StreamMessage } from '../ports/bus.ts';
import type { Clock } from '../ports/clock.ts';
import type { FileDirectory, ListedFile } from '../ports/file-directory.ts';
import type { Log } from '../ports/log.ts';

/** What was listed longer ago is not known here. */
const READ_BACK_MS = 24 * 3_600_000;

type Listener = (target: string, file: string) => void;

export class ListedFiles implements FileDirectory, Stoppable {
  readonly #tools: { readonly bus: Bus; readonly clock: Clock; readonly log: Log };
  readonly #files = new Map<string, Map<string, ListedFile>>();
  readonly #listeners = new Set<Listener>();
  #following: Promise<Follower> | undefined;
  #position = 0;
  #waiting: (() => void)[] = [];
  #stopped = false;

  constructor(tools: { readonly bus: Bus; readonly clock: Clock; readonly log: Log }) {
    this.#tools = tools;
  }

  file(target: string, file: string): ListedFile | undefined {
    return this.#files.get(target)?.get(file);
  }

  async upToDate(target: string): Promise<void> {
    await this.#follow();
    const last = await this.#tools.bus.last(streams.values, subject.values(target));
    while (last !== undefined && last.seq > this.#position && !this.#stopped)
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  onListed(listener: Listener): () => void {
    this.#listeners.add(listener);
    void this.#follow().catch(() => this.#again());
    return () => void this.#listeners.delete(listener);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#wake();
    const follower = await this.#following?.catch(() => undefined);
    await follower?.stop();
  }

  #follow(): Promise<Follower> {
    const following =
      this.#following ??
      this.#tools.bus.follow(
        streams.values,
        'mcs.tm.value.*',
        { from: 'time', at: this.#tools.clock.now() - READ_BACK_MS },
        (message) => this.#take(message),
      );
    this.#following = following;
    following.catch(() => {
      if (this.#following === following) this.#following = undefined;
    });
    return following;
  }

  #again(): void {
    if (this.#stopped) return;
    this.#tools.clock.setTimeout(() => void this.#follow().catch(() => this.#again()), BUS_RETRY_MS);
  }

  #take({ data, seq, subject: about }: StreamMessage): void {
    const target = about.split('.').at(-1) ?? '';
    for (const sample of filesIn(data)) this.#listed(target, sample);
    this.#position = seq;
    this.#wake();
  }

  #listed(target: string, sample: FileSample): void {
    const { file, ground, file_type, size, checksum, generation } = sample;
    // The state of a transfer alone is no listing.
    if (file_type === undefined && size === undefined && checksum === undefined && generation === undefined)
      return;
    const ofTarget = this.#files.get(target) ?? new Map<string, ListedFile>();
    this.#files.set(target, ofTarget);
    const before = ofTarget.get(file);
    const kept = before !== undefined && before.generation === generation ? before : undefined;
    ofTarget.set(file, {
      fileType: file_type ?? kept?.fileType,
      size: size ?? kept?.size,
      checksum: checksum ?? kept?.checksum,
      generation,
      listedAt: ground,
    });
    for (const listener of this.#listeners) listener(target, file);
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }
}

function filesIn(data: Uint8Array): readonly FileSample[] {
  try {
    const { files } = decodeBatch<ValueBatch>(data);
    return Array.isArray(files) ? files : [];
  } catch (error) {
    if (error instanceof Outage) throw error;
    return [];
  }
}
