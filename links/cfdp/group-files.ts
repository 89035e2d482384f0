/**
 * Files by CFDP over the links of a group of gateways, in the process that has them: frames in, PDUs out, the verb
 * answered. Decisions 41 and 76. Which process that is, is decided elsewhere (supervision).
 *
 * G1. A link keeps its entity while its driver and its transport stay as they are, whatever else of the mission
 *     changes; its target, its rate and what serves it are those of the mission that holds now.
 * G2. Where nothing is under way nothing is done: no timer, no look at links.
 * G3. No frame, however damaged, ends it; those that cannot be used are counted by reason and reported once a second.
 * G4. A link without room in the store makes its frames wait for a moment, and then loses file data (link-files.L2).
 * G5. While none of the gateways serves a link, nothing of transactions that are unknown here is answered, then or when
 *     one serves it again. What it knows goes on.
 * G6. A transaction is the link's, whichever gateway serves it: what the next one receives goes on where the one before
 *     ended. Each gateway has its own queue and its own pace.
 */

import { type FrameBatch, readFrameBatch } from '../../contract/batch.ts';
import { type CfdpAnswer, type CfdpLinkCall, cfdpFailed } from '../../contract/cfdp.ts';
import { CFDP_STORE_WAIT_MS, CFDP_TURN_MS } from '../../contract/limits/cfdp.ts';
import { accepted } from '../../contract/result.ts';
import type { Link, Mission, Target } from '../../mission/mission.ts';
import type { StreamMessage } from '../../ports/bus.ts';
import type { Clock, TimerHandle } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import { cfdpTransport } from '../driver/cfdp-transport.ts';
import { bufferOf } from '../frame-batch.ts';
import { FrameFaults } from '../frame-faults.ts';
import { type CfdpLink, cfdpGroups } from './cfdp-links.ts';
import type { ChunkStore } from './chunk-store.ts';
import { LinkFiles, type UploadContents } from './link-files.ts';
import { PduPlaces } from './pdu-places.ts';
import { PduPump, type PdusSent, type PumpedLink } from './pdu-pump.ts';

/** The gateway that serves a link now, and how fast it takes PDUs; or why none does. */
export type Uplink = { readonly gateway: string; readonly rate: number } | NoUplink;

interface NoUplink {
  readonly reason: string;
  /** No gateway serves the link (G5). */
  readonly isServed?: false;
}

interface GroupFilesOptions {
  /** Of the group. */
  readonly name: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly store: ChunkStore;
  readonly contents: UploadContents;
  readonly uplink: (mission: Mission, target: Target, link: Link) => Uplink;
  /** Hands frames of a target to a gateway. */
  readonly send: (gateway: string, target: string, frames: readonly Buffer[]) => Promise<PdusSent>;
  readonly failed: (error: unknown) => void;
}

/** PDUs and their bytes over a gateway since the beginning, and those dropped or not sent, by reason. */
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

/** One gateway of the group (G6). */
interface OfGateway {
  readonly pump: PduPump;
  readonly received: { pdus: number; bytes: number };
  readonly dropped: Map<string, number>;
}

export class GroupFiles {
  readonly #options: GroupFilesOptions;
  readonly #faults: FrameFaults;
  readonly #links = new Map<string, Served>();
  /** By name; one that left the group keeps its counts. */
  readonly #gateways = new Map<string, OfGateway>();
  #places = new PduPlaces<LinkFiles>([]);
  #mission: Mission | undefined;
  #timer: TimerHandle | undefined;
  #stopped = false;
  /** Frames have waited for the store in vain. */
  #isLosing = false;

  constructor(options: GroupFilesOptions) {
    this.#options = options;
    this.#faults = new FrameFaults(options.log);
  }

  /** By gateway. */
  get counts(): ReadonlyMap<string, CfdpCounts> {
    const entries = [...this.#gateways].map(([name, { pump, received, dropped }]): [string, CfdpCounts] => {
      const { frames: pdus, bytes, unsent } = pump.counts;
      const all = new Map(dropped);
      if (unsent > 0) all.set('unsent', unsent);
      return [name, { received: { ...received }, sent: { pdus, bytes }, dropped: all }];
    });
    return new Map(entries);
  }

  /** G1 */
  takeUp(mission: Mission): void {
    this.#mission = mission;
    const links = cfdpGroups(mission).get(this.#options.name)?.links ?? [];
    const wanted = new Map(links.map((each) => [nameOf(each), each]));
    for (const [name, { from, files }] of this.#links) {
      const place = wanted.get(name);
      if (place !== undefined && textOf(place) === from) files.move(place);
      else {
        files.stop();
        this.#links.delete(name);
      }
    }
    for (const [name, place] of wanted) if (!this.#links.has(name)) this.#begin(name, place);
    this.#places = new PduPlaces([...this.#links.values()].map(({ files }) => files));
    this.#turn();
  }

  /** The verb, of a link by name. */
  answer({ link, ...call }: CfdpLinkCall): CfdpAnswer {
    const name = `${call.target} ${link}`;
    const served = this.#links.get(name);
    if (served === undefined) {
      const revision = this.#mission?.revision ?? 'none';
      return cfdpFailed(
        `link ${link} of ${call.target} carries no CFDP over the gateways of group ${this.#options.name} in configuration ${revision}, which its process has`,
      );
    }
    this.#turnLink(served.files);
    const reply = served.files.answer(call);
    this.#turn();
    const uplink = this.#uplinkOf(served.files.place);
    const refused = 'rate' in uplink ? this.#of(uplink.gateway).pump.refused : undefined;
    if (refused !== undefined && reply.outcome === 'running' && 'rate' in uplink)
      return cfdpFailed(`gateway ${uplink.gateway} does not take its PDUs: ${refused}`);
    return accepted(reply);
  }

  /** Takes a message of frames of a gateway; resolves when its next may come (G4). */
  async take(gateway: string, message: StreamMessage): Promise<void> {
    const batch = readFrameBatch(message.data);
    if (batch === undefined || this.#links.size === 0) return;
    const { store } = this.#options;
    if (!this.#isLosing) await store.room(CFDP_STORE_WAIT_MS);
    if (this.#stopped) return;
    this.#isLosing = store.isFull;
    this.#receive(gateway, batch);
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
      leavesUnknown: () => !this.#isServed(files.place),
    };
    const files: LinkFiles = new LinkFiles(place, transport.value, options, clock.now());
    this.#links.set(name, { from: textOf(place), files });
  }

  #receive(gateway: string, { frames, at }: FrameBatch): void {
    const counted = this.#of(gateway);
    for (const [index, bytes] of frames.entries()) {
      const frame = bufferOf(bytes);
      const places = this.#places.of(gateway, frame);
      if (places === undefined) continue;
      const [first] = places;
      const received = places.length === 0 ? 'foreign' : this.#receiveAt(places, frame);
      if (received === 'taken') {
        counted.received.pdus += 1;
        counted.received.bytes += frame.length;
        continue;
      }
      counted.dropped.set(received, (counted.dropped.get(received) ?? 0) + 1);
      const name = first === undefined ? `gateway ${gateway}` : nameOf(first.place);
      if (received !== 'unknown') this.#faults.add(name, `PDU of CFDP dropped: ${received}`, at[index] ?? 0);
    }
  }

  /** What became of it; two entities here may speak with the same one on board, and it is of one of them. */
  #receiveAt(places: readonly LinkFiles[], frame: Buffer) {
    const became = places.map((files) => files.receive(frame));
    return became.find((each) => each !== 'foreign') ?? 'foreign';
  }

  /** Whatever is due, as of now. */
  #turn(): void {
    if (this.#stopped) return;
    const busy = [...this.#links.values()].filter(({ files }) => !files.isIdle);
    const ready = new Map<string, PumpedLink[]>();
    for (const { files } of busy) {
      const found = this.#turnLink(files);
      if (found === undefined) continue;
      const ofGateway = ready.get(found.gateway);
      if (ofGateway === undefined) ready.set(found.gateway, [found]);
      else ofGateway.push(found);
    }
    for (const [gateway, links] of ready) this.#of(gateway).pump.pump(links);
    this.#arm(busy, [...ready.keys()]);
  }

  /** What can be pumped of it; undefined while its link is away. */
  #turnLink(files: LinkFiles): (PumpedLink & { readonly gateway: string }) | undefined {
    const uplink = this.#uplinkOf(files.place);
    const isUp = 'rate' in uplink;
    files.turn(isUp);
    if (!isUp) return undefined;
    const { gateway, rate } = uplink;
    return { gateway, target: files.place.target.name, rate, pull: () => files.pull() };
  }

  #uplinkOf({ target, link }: CfdpLink): Uplink {
    if (this.#mission === undefined) return { reason: 'no configuration' };
    return this.#options.uplink(this.#mission, target, link);
  }

  /** G5 */
  #isServed(place: CfdpLink): boolean {
    const uplink = this.#uplinkOf(place);
    return 'rate' in uplink || uplink.isServed !== false;
  }

  #of(gateway: string): OfGateway {
    const known = this.#gateways.get(gateway);
    if (known !== undefined) return known;
    const { clock, send, failed } = this.#options;
    const pump = new PduPump({
      monotonic: () => clock.monotonic(),
      send: (target, frames) => send(gateway, target, frames),
      changed: () => this.#turn(),
      failed,
    });
    const begun = { pump, received: { pdus: 0, bytes: 0 }, dropped: new Map<string, number>() };
    this.#gateways.set(gateway, begun);
    return begun;
  }

  /** G2 */
  #arm(busy: readonly Served[], gateways: readonly string[]): void {
    const { clock } = this.#options;
    if (this.#timer !== undefined) clock.clearTimeout(this.#timer);
    this.#timer = undefined;
    if (busy.length === 0) return;
    const now = clock.monotonic();
    const pumps = gateways.map((gateway) => this.#of(gateway).pump.nextAt);
    const due = [...pumps, ...busy.map(({ files }) => files.nextDue)].filter(
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
