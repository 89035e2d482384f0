/**
 * Files by CFDP over the links of one gateway, in the process that has them: frames in, PDUs out, the verb answered.
 * Decision 41. Which process that is, is decided elsewhere (supervision).
 *
 * G1. A link keeps its entity while its driver and its transport stay as they are, whatever else of the mission
 *     changes; its target, its rate and what serves it are those of the mission that holds now.
 * G2. Where nothing is under way nothing is done: no timer, no look at links.
 * G3. No frame, however damaged, ends it; those that cannot be used are counted by reason and reported once a second.
 * G4. A link without room in the store makes its frames wait for a moment, and then loses file data (link-files.L2).
 * G5. While the gateway does not serve a link, transactions that are unknown here are those of the gateway that does:
 *     nothing of them is answered, now or when it serves the link again. What it knows goes on.
 */

import type { FrameBatch } from '../../contract/batch.ts';
import { type CfdpAnswer, type CfdpLinkCall, cfdpFailed } from '../../contract/cfdp.ts';
import { CFDP_STORE_WAIT_MS, CFDP_TURN_MS } from '../../contract/limits/cfdp.ts';
import { accepted } from '../../contract/result.ts';
import type { Link, Mission, Target } from '../../mission/mission.ts';
import type { StreamMessage } from '../../ports/bus.ts';
import type { Clock, TimerHandle } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import { cfdpTransport } from '../driver/cfdp-transport.ts';
import { bufferOf, frameBatch } from '../frame-batch.ts';
import { FrameFaults } from '../frame-faults.ts';
import { type CfdpLink, cfdpLinksOf } from './cfdp-links.ts';
import type { ChunkStore } from './chunk-store.ts';
import { LinkFiles, type Received, type UploadContents } from './link-files.ts';
import { PduPump, type PdusSent, type PumpedLink } from './pdu-pump.ts';

/** A link over this gateway now: how fast it takes PDUs, or why it does not. */
export type Uplink = { readonly rate: number } | NoUplink;

interface NoUplink {
  readonly reason: string;
  /** Another gateway, or none, serves the link (G5). */
  readonly isServing?: false;
}

interface GatewayFilesOptions {
  readonly gateway: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly store: ChunkStore;
  readonly contents: UploadContents;
  readonly uplink: (mission: Mission, target: Target, link: Link) => Uplink;
  /** Hands frames of a target to the gateway. */
  readonly send: (target: string, frames: readonly Buffer[]) => Promise<PdusSent>;
  readonly failed: (error: unknown) => void;
}

/** PDUs and their bytes since the beginning, and those that were dropped or not sent, by reason. */
export interface CfdpCounts {
  readonly received: { readonly pdus: number; readonly bytes: number };
  readonly sent: { readonly pdus: number; readonly bytes: number };
  readonly dropped: ReadonlyMap<string, number>;
}

interface Served {
  /** What its entity was made of. */
  readonly from: string;
  readonly files: LinkFiles;
}

export class GatewayFiles {
  readonly #options: GatewayFilesOptions;
  readonly #faults: FrameFaults;
  readonly #pump: PduPump;
  readonly #links = new Map<string, Served>();
  readonly #received = { pdus: 0, bytes: 0 };
  readonly #dropped = new Map<string, number>();
  #mission: Mission | undefined;
  #timer: TimerHandle | undefined;
  #stopped = false;
  /** Frames have waited for the store in vain. */
  #isLosing = false;

  constructor(options: GatewayFilesOptions) {
    this.#options = options;
    this.#faults = new FrameFaults(options.log);
    this.#pump = new PduPump({
      monotonic: () => options.clock.monotonic(),
      send: options.send,
      changed: () => this.#turn(),
      failed: options.failed,
    });
  }

  get counts(): CfdpCounts {
    const { frames: pdus, bytes, unsent } = this.#pump.counts;
    const dropped = new Map(this.#dropped);
    if (unsent > 0) dropped.set('unsent', unsent);
    return { received: { ...this.#received }, sent: { pdus, bytes }, dropped };
  }

  /** G1 */
  takeUp(mission: Mission): void {
    this.#mission = mission;
    const wanted = new Map(cfdpLinksOf(mission, this.#options.gateway).map((each) => [nameOf(each), each]));
    for (const [name, { from, files }] of this.#links) {
      const place = wanted.get(name);
      if (place !== undefined && textOf(place) === from) files.move(place);
      else {
        files.stop();
        this.#links.delete(name);
      }
    }
    for (const [name, place] of wanted) if (!this.#links.has(name)) this.#begin(name, place);
    this.#turn();
  }

  /** The verb, of a link by name. */
  answer({ link, ...call }: CfdpLinkCall): CfdpAnswer {
    const { gateway } = this.#options;
    const name = `${call.target} ${link}`;
    const served = this.#links.get(name);
    if (served === undefined) {
      const revision = this.#mission?.revision ?? 'none';
      return cfdpFailed(
        `link ${link} of ${call.target} carries no CFDP over gateway ${gateway} in configuration ${revision}, which its process has`,
      );
    }
    this.#turnLink(served.files);
    const reply = served.files.answer(call);
    this.#turn();
    const { refused } = this.#pump;
    if (refused !== undefined && reply.outcome === 'running')
      return cfdpFailed(`gateway ${gateway} does not take its PDUs: ${refused}`);
    return accepted(reply);
  }

  /** Takes a message of frames; resolves when the next may come (G4). */
  async take(message: StreamMessage): Promise<void> {
    const batch = frameBatch(message.data);
    if (batch === undefined || this.#links.size === 0) return;
    const { store } = this.#options;
    if (!this.#isLosing) await store.room(CFDP_STORE_WAIT_MS);
    if (this.#stopped) return;
    this.#isLosing = store.isFull;
    this.#receive(batch);
    this.#turn();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    if (this.#timer !== undefined) this.#options.clock.clearTimeout(this.#timer);
    for (const { files } of this.#links.values()) files.stop();
    this.#links.clear();
    await this.#options.store.stop();
  }

  #begin(name: string, place: CfdpLink): void {
    const { clock, log, store, contents, failed } = this.#options;
    const transport = cfdpTransport(place.driver, place.link);
    if (!transport.ok) return log.error({ link: name, faults: transport.faults }, 'link carries no CFDP');
    const options = {
      store,
      contents,
      revision: () => this.#mission?.revision ?? '',
      monotonic: () => clock.monotonic(),
      changed: () => this.#turn(),
      failed,
      leavesUnknown: () => !this.#isServing(files.place),
    };
    const files: LinkFiles = new LinkFiles(place, transport.value, options, clock.now());
    this.#links.set(name, { from: textOf(place), files });
  }

  #receive({ frames, at }: FrameBatch): void {
    for (const [index, bytes] of frames.entries()) {
      const frame = bufferOf(bytes);
      for (const [name, { files }] of this.#links)
        this.#count(name, frame, files.receive(frame), at[index] ?? 0);
    }
  }

  /** G3. Whose PDU is another link's is foreign to this one: that is no fault. */
  #count(name: string, frame: Buffer, received: Received, at: number): void {
    if (received === undefined || (received === 'foreign' && this.#links.size > 1)) return;
    if (received === 'taken') {
      this.#received.pdus += 1;
      this.#received.bytes += frame.length;
      return;
    }
    this.#dropped.set(received, (this.#dropped.get(received) ?? 0) + 1);
    if (received !== 'unknown') this.#faults.add(name, `PDU of CFDP dropped: ${received}`, at);
  }

  /** Whatever is due, as of now. */
  #turn(): void {
    if (this.#stopped) return;
    const busy = [...this.#links.values()].filter(({ files }) => !files.isIdle);
    const ready = busy.flatMap(({ files }) => this.#turnLink(files) ?? []);
    this.#pump.pump(ready);
    this.#arm(busy);
  }

  /** What can be pumped of it; undefined while its link is away. */
  #turnLink(files: LinkFiles): PumpedLink | undefined {
    const uplink = this.#uplinkOf(files.place);
    const isUp = 'rate' in uplink;
    files.turn(isUp);
    const target = files.place.target.name;
    return isUp ? { target, rate: uplink.rate, pull: () => files.pull() } : undefined;
  }

  #uplinkOf({ target, link }: CfdpLink): Uplink {
    if (this.#mission === undefined) return { reason: 'no configuration' };
    return this.#options.uplink(this.#mission, target, link);
  }

  /** G5 */
  #isServing(place: CfdpLink): boolean {
    const uplink = this.#uplinkOf(place);
    return 'rate' in uplink || uplink.isServing !== false;
  }

  /** G2 */
  #arm(busy: readonly Served[]): void {
    const { clock } = this.#options;
    if (this.#timer !== undefined) clock.clearTimeout(this.#timer);
    this.#timer = undefined;
    if (busy.length === 0) return;
    const now = clock.monotonic();
    const due = [this.#pump.nextAt, ...busy.map(({ files }) => files.nextDue)].filter(
      (at) => at !== undefined && at > now,
    );
    const delay = Math.min(CFDP_TURN_MS, ...due.map((at) => at! - now));
    this.#timer = clock.setTimeout(() => {
      this.#timer = undefined;
      this.#turn();
    }, delay);
  }
}

function nameOf({ target, link }: CfdpLink): string {
  return `${target.name} ${link.name}`;
}

/** What its entity is made of. */
function textOf({ driver, link }: CfdpLink): string {
  return JSON.stringify([driver.protocol, driver.settings, link.transport]);
}
