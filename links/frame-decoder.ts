/**
 * Decodes what a gateway received for every link bound to it: one message of frames in, one message of samples per link
 * out (T1), listings of files behind it, and the chunks of files that were in it. Which process decodes which gateway
 * and from which position is decided elsewhere (supervision).
 *
 * G1. The message id of a decoded batch names the message of frames it was made from by its position and the time at
 *     which it was stored, as its headers do, so that decoding that message again after a crash stores nothing twice.
 *     Where the stream of frames went back, positions come again, with other times.
 * G2. Batches are stored in the order of the messages handed over, also when several are under way. When one cannot
 *     be stored, those behind it are given up too, and all of them reject: hand them over again in order.
 * G5. Which links a gateway serves follows the passes at the time of the message (bindings.B1): decoded later or again,
 *     it is of the same targets.
 * G3. No frame, however damaged, makes `handle` reject: only the bus does.
 */

import { BlockBuilder, type FrameBatch, readFrameBatch } from '../contract/batch.ts';
import type { Mission } from '../mission/mission.ts';
import type { CurrentPasses } from '../mission/pass/serving-gateway.ts';
import type { Bus, StreamMessage } from '../ports/bus.ts';
import type { Log } from '../ports/log.ts';
import type { MissionSource } from '../ports/mission-source.ts';
import { isServedBy, type PossibleBinding, possibleBindings } from './bindings.ts';
import { type DecodedOutput, outputOf, storeOutput } from './decoded-output.ts';
import type { DecodingTerm } from './decoding-term.ts';
import type { Driver, LinkSource, Reading } from './driver/driver.ts';
import { createDriver, isKnownProtocol } from './driver/protocols.ts';
import { bufferOf } from './frame-batch.ts';
import { FrameFaults } from './frame-faults.ts';

export interface FrameDecoder {
  /** Frames that could not be read so far, each counted once for each link. */
  readonly faults: number;
  /** Resolves when the samples of the message are stored; rejects with `Outage` when they are not (G2). */
  handle(message: StreamMessage): Promise<void>;
}

interface FrameDecoderOptions {
  readonly bus: Bus;
  readonly missions: MissionSource;
  readonly passes: CurrentPasses;
  readonly gateway: string;
  readonly log: Log;
  readonly term: Pick<DecodingTerm, 'storedBefore'>;
}

/** A decoder for the frames of one gateway. */
export function createFrameDecoder(options: FrameDecoderOptions): FrameDecoder {
  return new GatewayFrameDecoder(options);
}

interface Source extends LinkSource {
  readonly driver: Driver;
  /** Of the configuration it was made from: whoever reads the samples later finds their catalogue by it. */
  readonly revision: string;
}

interface DecodedBinding {
  readonly binding: PossibleBinding;
  /** Absent until it is first needed; undefined where nothing of it is decoded here. */
  source?: Source | undefined;
}

class GatewayFrameDecoder implements FrameDecoder {
  readonly #bus: Bus;
  readonly #missions: MissionSource;
  readonly #passes: CurrentPasses;
  readonly #gateway: string;
  readonly #log: Log;
  readonly #term: Pick<DecodingTerm, 'storedBefore'>;
  readonly #faults: FrameFaults;
  #mission: Mission | undefined;
  #bindings: readonly DecodedBinding[] = [];
  /** Those served at that moment. */
  #sources: readonly Source[] = [];
  #moment = '';
  #tail: Promise<void> = Promise.resolve();
  #underWay = 0;

  constructor({ bus, missions, passes, gateway, log, term }: FrameDecoderOptions) {
    this.#bus = bus;
    this.#missions = missions;
    this.#passes = passes;
    this.#gateway = gateway;
    this.#term = term;
    this.#log = log.child({ gateway });
    this.#faults = new FrameFaults(this.#log);
  }

  get faults(): number {
    return this.#faults.total;
  }

  async handle(message: StreamMessage): Promise<void> {
    const decoded = this.#decode(message);
    if (this.#underWay === 0) this.#tail = Promise.resolve();
    this.#underWay += 1;
    this.#tail = this.#tail.then(() => this.#append(message, decoded));
    try {
      await this.#tail;
    } finally {
      this.#underWay -= 1;
    }
  }

  #decode(message: StreamMessage): [Source, DecodedOutput][] {
    const sources = this.#sourcesAt(message.at);
    const batch = this.#framesOf(message);
    if (batch === undefined) return [];
    return sources.flatMap((source): [Source, DecodedOutput][] => {
      const decoded = this.#read(batch, source);
      return decoded === undefined ? [] : [[source, decoded]];
    });
  }

  /** Bytes that are no batch come from another writer on the subject: counted like a damaged frame (G3). */
  #framesOf(message: StreamMessage): FrameBatch | undefined {
    const batch = readFrameBatch(message.data);
    if (batch === undefined) {
      this.#faults.add(message.subject, `message ${message.seq} is not a batch of frames`, message.at);
    }
    return batch;
  }

  #read(batch: FrameBatch, source: Source): DecodedOutput | undefined {
    const where = `${source.target.name}/${source.link.name}`;
    let at = 0;
    const into: Reading = {
      samples: new BlockBuilder(),
      files: { samples: [], chunks: [] },
      reports: [],
      fault: (detail) => this.#faults.add(where, detail, at),
    };
    for (const [index, frame] of batch.frames.entries()) {
      at = batch.at[index]!;
      source.driver.read(bufferOf(frame), at, source, into);
    }
    return outputOf(into, source);
  }

  async #append({ seq, at }: StreamMessage, decoded: readonly [Source, DecodedOutput][]): Promise<void> {
    for (const [source, output] of decoded) {
      const { revision } = source;
      const [target, link] = [source.target.name, source.link.name];
      const id = `${this.#gateway}-${seq}@${at}-${target}-${link}`;
      const storedBefore = await this.#term.storedBefore({ target, link, seq, at });
      await storeOutput(output, { bus: this.#bus, target, id, seq, at, revision, storedBefore });
    }
  }

  /** G5: passes begin and end with a margin of a minute; within a second, where none changes, the answer is the same. */
  #sourcesAt(at: number): readonly Source[] {
    const mission = this.#missions.current;
    if (mission === undefined) return [];
    const moment = `${Math.floor(at / 1_000)} ${this.#passes.changes}`;
    if (mission === this.#mission && moment === this.#moment) return this.#sources;
    if (mission !== this.#mission)
      this.#bindings = possibleBindings(mission, this.#gateway).map((binding) => ({ binding }));
    this.#mission = mission;
    this.#moment = moment;
    this.#sources = this.#bindings
      .filter(({ binding }) => isServedBy(mission, this.#gateway, binding, this.#passes, at))
      .flatMap((served) => this.#sourceOf(served, mission) ?? []);
    return this.#sources;
  }

  /** Made when it is first needed. */
  #sourceOf(decoded: DecodedBinding, mission: Mission): Source | undefined {
    if (!('source' in decoded)) decoded.source = this.#newSource(decoded.binding, mission);
    return decoded.source;
  }

  /** Links without platform or driver, or whose driver runs outside this service, are not decoded here. */
  #newSource(
    { target, link, driver: definition }: PossibleBinding,
    { revision }: Mission,
  ): Source | undefined {
    const { platform } = target;
    if (platform === undefined || definition === undefined || !isKnownProtocol(definition.protocol))
      return undefined;
    const driver = createDriver(definition, this.#bus);
    if (driver.ok) return { target, link, platform, driver: driver.value, revision };
    this.#log.error({ driver: definition.name, faults: driver.faults }, 'driver cannot be used');
    return undefined;
  }
}
