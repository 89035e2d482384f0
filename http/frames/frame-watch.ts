/**
 * One watcher of the links of a target: follows what its gateways received and sent and how they are, and writes it to
 * the client. Mission Control Service, section 6 (subjects); the watch is ours.
 *
 * W1. It never slows anybody down: a client that is behind is not shown the frames that pass meanwhile, and is reported
 *     how many they were before the next one.
 * W3. A gateway is watched while it serves a link of the target, also for a pass only: looked at every `PASS_CHECK_MS`.
 * W2. It ends when the configuration changes: what was watched may mean something else.
 */

import { readFrameBatch } from '../../contract/batch.ts';
import { header } from '../../contract/bus/headers.ts';
import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import { FRAME_HEAD_BYTES } from '../../contract/limits/link.ts';
import { PASS_CHECK_MS } from '../../contract/limits/pass.ts';
import type { LinkCondition } from '../../contract/link.ts';
import type { FrameReceived, FrameSent, LinkEvent } from '../../contract/link-event.ts';
import type { Gateway, Target } from '../../mission/mission.ts';
import type { Stoppable, StreamMessage } from '../../ports/bus.ts';
import type { TimerHandle } from '../../ports/clock.ts';
import { closeCode, type FollowWriter } from '../follow.ts';
import type { RoutePorts } from '../ports.ts';
import { readDecoded, readReport, readSent } from './bus-messages.ts';
import { firstState, type KnownState } from './first-state.ts';
import { FrameJoin, type JoinedFrame } from './frame-join.ts';
import { frameSamples } from './frame-samples.ts';
import { SentTelecommands } from './sent-telecommands.ts';

export interface WatchedGateway {
  readonly gateway: Gateway;
  /** Links of the target that it serves. */
  readonly links: readonly string[];
}

interface FrameWatchOptions {
  readonly target: Target;
  /** Those that serve the target now. */
  readonly gateways: () => readonly WatchedGateway[];
  /** Whole frames instead of their first bytes. */
  readonly raw: boolean;
  readonly ports: RoutePorts;
  readonly writer: FollowWriter;
}

/** Starts to watch; rejects with `Outage` while the bus is away. */
export async function watchFrames(options: FrameWatchOptions): Promise<Stoppable> {
  const watch = new FrameWatch(options);
  try {
    await watch.start();
    return watch;
  } catch (error) {
    await watch.stop();
    throw error;
  }
}

class FrameWatch implements Stoppable {
  readonly #options: FrameWatchOptions;
  readonly #joins = new Map<string, FrameJoin>();
  /** What is followed of each gateway. */
  readonly #followed = new Map<string, Stoppable[]>();
  readonly #told = new Map<string, string>();
  readonly #telecommands: SentTelecommands;
  readonly #running: Stoppable[] = [];
  #timer: TimerHandle | undefined;
  #updated: Promise<void> = Promise.resolve();
  #skipped = 0;
  #behind = false;
  #stopped = false;

  constructor(options: FrameWatchOptions) {
    this.#options = options;
    this.#telecommands = new SentTelecommands(options.ports.bus);
  }

  async start(): Promise<void> {
    const { ports, target } = this.#options;
    const { bus } = ports;
    this.#endWithMission();
    // Samples first: none may be missed of the frames that follow.
    const decoded = subject.decoded(target.name);
    this.#running.push(
      await bus.follow(streams.decoded, decoded, { from: 'now' }, (message) => this.#decoded(message)),
    );
    this.#running.push(bus.subscribe(subject.metrics, ({ data }) => this.#report(readReport(data))));
    await this.#update();
    this.#later();
  }

  /** W3 */
  #later(): void {
    const { clock, log } = this.#options.ports;
    this.#timer = clock.setTimeout(() => {
      const updated = this.#update().catch((error: unknown) => {
        // The next look tries again.
        log.debug({ err: error }, 'gateways of a pass cannot be watched yet');
      });
      this.#updated = updated.then(() => {
        if (!this.#stopped) this.#later();
      });
    }, PASS_CHECK_MS);
  }

  async #update(): Promise<void> {
    const wanted = new Map(this.#options.gateways().map((watched) => [watched.gateway.name, watched]));
    for (const name of this.#followed.keys()) if (!wanted.has(name)) await this.#leave(name);
    for (const [name, watched] of wanted) {
      if (this.#followed.has(name) || this.#stopped) continue;
      await this.#watchGateway(watched);
      void firstState(watched.gateway, this.#options.ports.bus).then((state) => this.#report(state));
    }
  }

  async #leave(name: string): Promise<void> {
    const followed = this.#followed.get(name) ?? [];
    this.#followed.delete(name);
    this.#joins.get(name)?.stop();
    this.#joins.delete(name);
    this.#told.delete(name);
    await Promise.all(followed.splice(0).map((each) => each.stop()));
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    if (this.#timer !== undefined) this.#options.ports.clock.clearTimeout(this.#timer);
    await this.#updated;
    for (const name of [...this.#followed.keys()]) await this.#leave(name);
    await Promise.all(this.#running.splice(0).map((each) => each.stop()));
  }

  /** W2 */
  #endWithMission(): void {
    const { missions } = this.#options.ports;
    const revision = missions.current?.revision;
    const forget = missions.onChange((mission) => {
      if (mission.revision !== revision)
        this.#options.writer.finish(closeCode.goingAway, 'the configuration has changed');
    });
    this.#running.push({ stop: async () => forget() });
  }

  async #watchGateway({ gateway: { name }, links }: WatchedGateway): Promise<void> {
    const { bus, clock } = this.#options.ports;
    const join = new FrameJoin({
      clock,
      links,
      joined: (frame) => this.#received(name, frame),
      skipped: (frames) => this.#skip(frames),
    });
    this.#joins.set(name, join);
    const followed = [bus.subscribe(subject.sent(name), ({ data }) => void this.#sent(name, data))];
    this.#followed.set(name, followed);
    const take = ({ seq, data }: StreamMessage): void => {
      const batch = readFrameBatch(data);
      if (batch !== undefined) join.received(seq, batch);
    };
    try {
      followed.push(await bus.follow(streams.frames, subject.frames(name), { from: 'now' }, take));
    } catch (error) {
      await this.#leave(name);
      throw error;
    }
  }

  #decoded({ headers, data }: StreamMessage): void {
    const source = Number(headers[header.source]);
    const batch = readDecoded(data, this.#options.target.platform?.measures.length ?? 0);
    if (batch === undefined || !Number.isSafeInteger(source)) return;
    for (const join of this.#joins.values()) join.decoded(source, batch.link, batch);
  }

  #received(gateway: string, { at, frame, decodings }: JoinedFrame): void {
    const [first] = decodings;
    const event: FrameReceived = {
      kind: 'received',
      at: new Date(at).toISOString(),
      gateway,
      ...(first !== undefined && { link: first.link }),
      ...this.#bytes(Buffer.from(frame.buffer, frame.byteOffset, frame.byteLength)),
      ...frameSamples(decodings, this.#options.target.platform),
    };
    this.#push(event, 1);
  }

  async #sent(gateway: string, data: Uint8Array): Promise<void> {
    const message = readSent(data);
    if (message?.target !== this.#options.target.name) return;
    const { at, frame, outcome, detail, key } = message;
    const carried = await this.#telecommands.of(key);
    const event: FrameSent = {
      kind: 'sent',
      at: new Date(at).toISOString(),
      gateway,
      ...this.#bytes(Buffer.from(frame, 'hex')),
      outcome,
      ...(detail !== undefined && { detail }),
      ...carried,
    };
    this.#push(event, 1);
  }

  #bytes(frame: Buffer): { size: number; frame: string } {
    const shown = this.#options.raw ? frame : frame.subarray(0, FRAME_HEAD_BYTES);
    return { size: frame.length, frame: shown.toString('hex') };
  }

  #report(report: KnownState | undefined): void {
    if (report !== undefined && this.#joins.has(report.gateway)) this.#sendState(report.gateway, report.link);
  }

  #sendState(
    gateway: string,
    { state, since, reason }: Partial<LinkCondition> & Pick<LinkCondition, 'state'>,
  ) {
    const reported = `${state} ${reason}`;
    if (this.#stopped || this.#told.get(gateway) === reported) return;
    this.#told.set(gateway, reported);
    const at = new Date(this.#options.ports.clock.now()).toISOString();
    const from = since === undefined ? {} : { since: new Date(since).toISOString() };
    this.#push({ kind: 'state', at, gateway, state, ...from, ...(reason !== undefined && { reason }) }, 0);
  }

  /** W1. What is no frame is small and rare, and always reported. */
  #push(event: LinkEvent, frames: number): void {
    if (this.#stopped) return;
    if (frames > 0 && this.#behind) this.#skip(frames);
    else this.#options.writer.push(JSON.stringify(event));
    this.#notice();
  }

  #notice(): void {
    const room = this.#behind ? undefined : this.#options.writer.room();
    if (room === undefined) return;
    this.#behind = true;
    void room.then(() => {
      this.#behind = false;
      this.#sendSkipped();
    });
  }

  #skip(frames: number): void {
    this.#skipped += frames;
    if (!this.#behind) this.#sendSkipped();
  }

  #sendSkipped(): void {
    if (this.#skipped === 0) return;
    const at = new Date(this.#options.ports.clock.now()).toISOString();
    const frames = this.#skipped;
    this.#skipped = 0;
    this.#push({ kind: 'skipped', at, frames }, 0);
  }
}
