/**
 * Files over one link: its CFDP entity with the frames of its gateways on one side, and on the other the stream of
 * chunks and the content of uploads.
 *
 * L1. A PDU that cannot be used is counted by its reason, and nothing of it is kept.
 * L2. File data that finds no room in the store is dropped as if the link had lost it, and asked for again. Other PDUs
 *     are never dropped: they are what makes room.
 * L3. Of the content of an upload one piece at a time is read, when it is needed.
 */

import type { CfdpCall, CfdpReply } from '../../contract/cfdp.ts';
import { BUS_RETRY_MS } from '../../contract/limits/bus.ts';
import { Outage } from '../../contract/outage.ts';
import type { IncomingCounts } from '../../protocol/cfdp/incoming.ts';
import { CfdpFiles, type WantedContent } from '../driver/cfdp-files.ts';
import type { CfdpTransport } from '../driver/cfdp-transport.ts';
import type { CfdpLink } from './cfdp-links.ts';
import type { ChunkStore } from './chunk-store.ts';

/** The content of uploads. */
export interface UploadContents {
  /** The bytes from `start` to before `end`; undefined where they are not stored. Rejects with `Outage`. */
  read(key: string, source: string, start: number, end: number): Promise<Uint8Array | undefined>;
  /** Nothing more is read for that key. */
  forget(key: string): void;
}

interface LinkFilesOptions {
  readonly store: ChunkStore;
  readonly contents: UploadContents;
  readonly revision: () => string;
  readonly monotonic: () => number;
  /** Content has come: there is more to send. */
  readonly changed: () => void;
  readonly failed: (error: unknown) => void;
  /** Whether what is unknown here is left alone (group-files.G5). */
  readonly leavesUnknown: () => boolean;
}

/** What became of a frame. */
export type Received = 'taken' | keyof IncomingCounts | 'storage';

/** Content of a transaction that is being read, or was. */
interface Content {
  readonly id: WantedContent['id'];
  /** Not read before. */
  readonly from: number;
  readonly isUnderWay: boolean;
}

/** The bit of the first octet that says file data. */
const FILE_DATA = 0x10;

export class LinkFiles {
  #place: CfdpLink;
  readonly #options: LinkFilesOptions;
  readonly #transport: CfdpTransport;
  readonly #files: CfdpFiles;
  readonly #contents = new Map<string, Content>();

  constructor(place: CfdpLink, transport: CfdpTransport, options: LinkFilesOptions, wallMs: number) {
    this.#place = place;
    this.#options = options;
    this.#transport = transport;
    const { store, revision, monotonic, leavesUnknown } = options;
    const target = place.target.name;
    this.#files = new CfdpFiles(
      {
        settings: transport.settings,
        peer: transport.peer,
        wallMs,
        leavesUnknown,
        newTransaction: () => store.newTransaction(),
        chunk: (chunk) => store.push({ target, revision: revision() }, chunk),
        isStored: ({ file_id, generation }) => store.isStored(target, file_id, generation),
      },
      monotonic(),
    );
    // Until it is known to be there.
    this.#files.linkDown(monotonic());
  }

  get transport(): CfdpTransport {
    return this.#transport;
  }

  get gateways(): readonly string[] {
    return this.#place.gateways;
  }

  /** As the mission has it that holds now. */
  get place(): CfdpLink {
    return this.#place;
  }

  /** The same link of another mission, with the same entity. */
  move(place: CfdpLink): void {
    this.#place = place;
  }

  get counts(): IncomingCounts {
    return this.#files.entity.counts;
  }

  get isIdle(): boolean {
    return this.#files.isIdle;
  }

  answer(call: CfdpCall): CfdpReply {
    return this.#files.answer(call, this.#options.monotonic());
  }

  /** L1, L2 */
  receive(frame: Buffer): Received {
    const pdu = this.#transport.pduIn(frame);
    if (pdu === undefined) return 'malformed';
    if (this.#options.store.isFull && ((pdu[0] ?? 0) & FILE_DATA) !== 0) return 'storage';
    const before = { ...this.counts };
    this.#files.receive(pdu, this.#options.monotonic());
    const reasons = Object.keys(before) as (keyof IncomingCounts)[];
    return reasons.find((reason) => this.counts[reason] !== before[reason]) ?? 'taken';
  }

  /** What is due by now, with the link as it is now. */
  turn(isUp: boolean): void {
    const now = this.#options.monotonic();
    if (isUp !== this.#files.isLinkUp) {
      if (isUp) this.#files.linkUp(now);
      else this.#files.linkDown(now);
    }
    this.#files.tick(now);
    this.#readContents(now);
  }

  /** The next frame for the spacecraft; undefined when there is nothing to send, or nothing may be. */
  pull(): Buffer | undefined {
    const pdu = this.#files.pull(this.#options.monotonic());
    return pdu && this.#transport.frameOf(pdu);
  }

  /** When `turn` has something to do at the latest. */
  get nextDue(): number | undefined {
    return this.#files.entity.nextDue(this.#options.monotonic());
  }

  stop(): void {
    for (const key of this.#contents.keys()) this.#forget(key);
  }

  /** L3 */
  #readContents(now: number): void {
    const { entity } = this.#files;
    for (const wanted of this.#files.wanted()) {
      const { id } = wanted;
      const key = `${this.place.target.name} ${id.source}:${id.sequence}`;
      const known = this.#contents.get(key);
      if (known !== undefined && (known.isUnderWay || known.from > now)) continue;
      this.#contents.set(key, { id, from: now, isUnderWay: true });
      void this.#read(key, wanted).catch(this.#options.failed);
    }
    for (const [key, { id, isUnderWay }] of this.#contents)
      if (!isUnderWay && entity.report(id) === undefined) this.#forget(key);
  }

  async #read(key: string, { id, source, start, end }: WantedContent): Promise<void> {
    const { contents, monotonic, changed } = this.#options;
    let from = 0;
    try {
      const bytes = await contents.read(key, source, start, end);
      this.#files.give(id, start, bytes, monotonic());
    } catch (error) {
      if (!(error instanceof Outage)) throw error;
      from = monotonic() + BUS_RETRY_MS;
    }
    this.#contents.set(key, { id, from, isUnderWay: false });
    changed();
  }

  #forget(key: string): void {
    this.#contents.delete(key);
    this.#options.contents.forget(key);
  }
}
