/**
 * The drivers: answer the verbs of every driver of the mission, decode what the gateways receive, one process per
 * gateway, bring files by CFDP, one process per group of gateways, and decode files that came down. Mission Control
 * Service, sections 1 and 4.7 rules 6 and 7.
 */

import { Links } from '../../actors/transfer/links.ts';
import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import { cfdpGroups } from '../../links/cfdp/cfdp-links.ts';
import { DecodingTerm } from '../../links/decoding-term.ts';
import { startDriverService } from '../../links/driver-service.ts';
import { startFileDecoding } from '../../links/files/file-decoding-service.ts';
import { createFrameDecoder, type FrameDecoder } from '../../links/frame-decoder.ts';
import type { KnownIn } from '../../messaging/known-past.ts';
import { LowWaterMark, pastIsGone } from '../../messaging/low-water-mark.ts';
import type { Follower, StreamMessage } from '../../ports/bus.ts';
import { forwardCfdp } from '../cfdp/forward.ts';
import { CfdpWorker } from '../cfdp/worker.ts';
import { CfdpMetrics } from '../metrics/cfdp.ts';
import { decodedFiles } from '../metrics/decoded-files.ts';
import { DecoderMetrics } from '../metrics/decoders.ts';
import { begun, type Worker, type WorkerContext } from '../ownership/owned-worker.ts';
import type { Role, RoleContext } from '../role.ts';

/** Messages of frames being decoded and stored at once, per gateway. */
const UNDER_WAY = 16;

export async function startDrivers(context: RoleContext): Promise<Role> {
  const { bus, clock, log, missions, passes, registry } = context;
  const service = startDriverService({
    bus,
    missions,
    log,
    files: async (driver, call, mission) => {
      await passes.ready;
      return forwardCfdp({ bus, clock, passes }, driver, call, mission);
    },
  });
  const decoding = startFileDecoding({
    bus,
    clock,
    missions,
    log: log.child({ part: 'files' }),
    count: decodedFiles(registry),
  });
  const files = new CfdpWorkers(context);
  const metrics = new DecoderMetrics(registry);
  const start = (gateway: string, term: WorkerContext): Promise<Worker> =>
    begun(new DecoderWorker(gateway, term, context, metrics));
  return {
    shared: [
      { role: { role: 'drivers', prefix: 'decoder', start }, names: (mission) => mission.gateways.keys() },
      {
        role: { role: 'drivers', prefix: 'cfdp', start: (...of) => files.start(...of) },
        names: (mission) => cfdpGroups(mission).keys(),
      },
    ],
    stop: async () => {
      await Promise.all([service.stop(), decoding.stop()]);
    },
  };
}

/** What the workers of this process share exists while there is one: other processes do not read every report. */
class CfdpWorkers {
  readonly #context: RoleContext;
  readonly #metrics: CfdpMetrics;
  #links: Links | undefined;
  #running = 0;

  constructor(context: RoleContext) {
    this.#context = context;
    this.#metrics = new CfdpMetrics(context.registry);
  }

  async start(group: string, term: WorkerContext): Promise<Worker> {
    const context = this.#context;
    this.#links ??= new Links(context);
    this.#running += 1;
    const worker = new CfdpWorker({ group, term, context, links: this.#links, metrics: this.#metrics });
    return begun({ start: () => worker.start(), stop: () => worker.stop().finally(() => this.#left()) });
  }

  async #left(): Promise<void> {
    this.#running -= 1;
    if (this.#running > 0) return;
    const links = this.#links;
    this.#links = undefined;
    await links?.stop();
  }
}

/** Decodes what one gateway receives, from its low-water mark on. */
class DecoderWorker implements Worker {
  readonly #gateway: string;
  readonly #term: WorkerContext;
  readonly #context: RoleContext;
  readonly #metrics: DecoderMetrics;
  readonly #mark: LowWaterMark<{ readonly next: number }>;
  readonly #underWay = new Set<Promise<void>>();
  readonly #stopping = new AbortController();
  #next = 1;
  #known: KnownIn | undefined;
  #follower: Follower | undefined;
  #counted: () => void = () => undefined;

  constructor(gateway: string, term: WorkerContext, context: RoleContext, metrics: DecoderMetrics) {
    this.#gateway = gateway;
    this.#term = term;
    this.#context = context;
    this.#metrics = metrics;
    const { bus, clock, log } = context;
    this.#mark = new LowWaterMark({
      bus,
      clock,
      log,
      epoch: term.epoch,
      name: `decoder.${gateway}`,
      lost: term.failed,
      first: { next: 1 },
      stands: () => ({ next: this.#next }),
      known: () => (this.#known === undefined ? [] : [this.#known]),
      reportsMoves: true,
    });
  }

  async start(): Promise<void> {
    const { bus, clock, missions, passes, log } = this.#context;
    // A frame that is decoded before the passes are known would be of nobody.
    await passes.ready;
    const { next } = await this.#mark.take();
    const { wentBack } = this.#mark;
    this.#next = wentBack === undefined ? next : 1;
    const decoder = createFrameDecoder({
      bus,
      missions,
      passes,
      gateway: this.#gateway,
      log: log.child({ decoder: this.#gateway }),
      term: new DecodingTerm({
        bus,
        clock,
        holds: () => this.#term.holds(),
        takenAt: () => this.#mark.writtenAt(),
        signal: this.#stopping.signal,
      }),
    });
    this.#mark.keep();
    this.#counted = this.#metrics.count(this.#gateway, decoder);
    this.#follower = await bus.follow(
      streams.frames,
      subject.frames(this.#gateway),
      // Positions of a stream that went back are used again: what is new is known by its time.
      wentBack === undefined ? { from: 'seq', seq: next } : { from: 'time', at: wentBack.since + 1 },
      (message) => this.#take(message, decoder),
      { wentBack: () => this.#term.failed(pastIsGone(streams.frames)) },
    );
  }

  async stop(): Promise<void> {
    await this.#follower?.stop();
    this.#stopping.abort();
    await Promise.all(this.#underWay);
    this.#counted();
    await this.#mark.stop();
  }

  /**
   * Decoded batches are stored in order; when one cannot be, those behind it are given up too and the worker reads on
   * from the low-water mark, which has not moved past them.
   */
  async #take(message: StreamMessage, decoder: FrameDecoder): Promise<void> {
    const handled = decoder.handle(message).then(() => this.#done(message), this.#term.failed);
    this.#underWay.add(handled);
    void handled.finally(() => this.#underWay.delete(handled));
    if (this.#underWay.size >= UNDER_WAY) await Promise.race(this.#underWay);
  }

  #done({ seq, at }: StreamMessage): void {
    this.#next = Math.max(this.#next, seq + 1);
    if (seq >= (this.#known?.seq ?? 0)) this.#known = { stream: streams.frames, seq, at };
    this.#mark.moved();
  }
}
