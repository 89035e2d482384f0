/** The files of a group of gateways, one of them unless said, with a spacecraft at the other end of its link, on a clock of the test. */

import { encodeBatch } from '../../../contract/batch.ts';
import { subject } from '../../../contract/bus/subjects.ts';
import type { CfdpAnswer, CfdpCall, CfdpReply } from '../../../contract/cfdp.ts';
import { readFileChunk } from '../../../contract/file-chunk.ts';
import { ChunkStore } from '../../../links/cfdp/chunk-store.ts';
import { type CfdpCounts, GroupFiles, type Uplink } from '../../../links/cfdp/group-files.ts';
import type { UploadContents } from '../../../links/cfdp/link-files.ts';
import type { PdusSent } from '../../../links/cfdp/pdu-pump.ts';
import type { Link, Mission, Target } from '../../../mission/mission.ts';
import type { StreamMessage } from '../../../ports/bus.ts';
import { readSpacePacket, writeSpacePacket } from '../../../protocol/space-packet.ts';
import { loaded, platform, topology } from '../../mission/documents.ts';
import { ManualClock, settled } from '../../support/manual-clock.ts';
import { OnboardEntity } from '../../support/onboard-entity.ts';
import { keptLog } from '../../support/silent-log.ts';
import { MemoryBus } from '../memory-bus.ts';

export const SIZE = 30_000;
export const SOURCE = 'ab'.repeat(32);
export const DOWN: CfdpCall = {
  target: 'sat',
  file_id: '7',
  generation: 3,
  direction: 'download',
  size: SIZE,
};
export const UP: CfdpCall = { ...DOWN, generation: 1, direction: 'upload', source: SOURCE };
const APID = 117;
const STEP_MS = 10;

export function contentOf(size: number): Buffer {
  return Buffer.from(Array.from({ length: size }, (_, n) => (n * 7 + (n >> 8)) & 0xff));
}

/** One target with CFDP beside its telecommands; `settings` of CFDP, `more` of the topology. */
export function missionOf(settings: object = {}, more: object = {}): Mission {
  const transport = { kind: 'space-packet', apid: 116, cfdp: { entity: 42, apid: APID } };
  return loaded([
    platform({ components: { obc: { measures: { n: { type: 'u8' } } } } }),
    topology({
      gateways: { g: {} },
      drivers: { pus: { protocol: 'pus-c', cfdp: { entity: 1, pdu: 512, ...settings } } },
      targets: {
        sat: {
          platform: 'box@1.0.0',
          environments: ['bench'],
          links: { s: { default: true, driver: 'pus', gateway: 'g', transport } },
        },
      },
      ...more,
    }),
  ]);
}

export class GroupWorld {
  readonly clock = new ManualClock(1_000_000);
  readonly bus = new MemoryBus();
  readonly log = keptLog();
  readonly files: GroupFiles;
  readonly spacecraft: OnboardEntity;
  readonly content = contentOf(SIZE);
  /** The gateway that receives the spacecraft. */
  receiving = 'g';
  uplink: Uplink = { gateway: 'g', rate: 1_000_000 };
  /** For what an uplink was looked up last. */
  lookedUp: { readonly mission: Mission; readonly target: Target; readonly link: Link } | undefined;
  /** Why the gateway takes no PDUs. */
  refused: string | undefined;
  /** Frames that the gateway was given, and how many at once. */
  readonly sent: Buffer[] = [];
  readonly parts: number[] = [];
  /** The gateway of each of them. */
  readonly over: string[] = [];
  /** Ranges of uploads that were read. */
  readonly read: [number, number][] = [];
  isContentGone = false;
  #seq = 0;
  #count = 0;

  constructor(mission = missionOf(), more: Partial<UploadContents> = {}) {
    const { bus, clock, log } = this;
    this.files = new GroupFiles({
      name: 'g',
      clock,
      log,
      store: new ChunkStore({ bus, clock, log, life: 'test', holds: () => true }),
      contents: {
        read: async (_key, _source, start, end) => {
          this.read.push([start, end]);
          return this.isContentGone ? undefined : this.content.subarray(start, end);
        },
        forget: () => undefined,
        ...more,
      },
      uplink: (mission, target, link) => {
        this.lookedUp = { mission, target, link };
        return this.uplink;
      },
      send: (gateway, _target, frames) => this.#send(gateway, frames),
      failed: (error) => {
        throw error;
      },
    });
    this.files.takeUp(mission);
    this.spacecraft = new OnboardEntity({
      settings: { local: 42n, pduBytes: 512 },
      peer: 1n,
      now: () => clock.now(),
      content: (name) => (name === '7' ? this.content : undefined),
    });
  }

  async #send(gateway: string, frames: readonly Buffer[]): Promise<PdusSent> {
    if (this.refused !== undefined) return { frames: 0, refused: this.refused };
    this.parts.push(frames.length);
    this.over.push(gateway);
    for (const frame of frames) {
      this.sent.push(frame);
      const header = readSpacePacket(frame);
      if (typeof header === 'string' || header.apid !== APID) throw new Error('no PDU');
      this.spacecraft.receive(Buffer.from(frame.subarray(6)));
    }
    return { frames: frames.length };
  }

  /** Frames as a gateway has received them. */
  receive(frames: readonly Buffer[], gateway = this.receiving): Promise<void> {
    this.#seq += 1;
    const data = encodeBatch({ at: frames.map(() => this.clock.now()), frames: [...frames] });
    const message = { subject: subject.frames(gateway), seq: this.#seq, at: this.clock.now(), pending: 0 };
    return this.files.take(gateway, { ...message, headers: {}, data } satisfies StreamMessage);
  }

  frameOf(pdu: Buffer, apid = APID): Buffer {
    this.#count += 1;
    const fields = { secondaryHeader: false, apid, sequenceFlags: 'unsegmented' } as const;
    return writeSpacePacket({ type: 'telemetry', ...fields, sequenceCount: this.#count % 16_384 }, pdu);
  }

  answer(call: CfdpCall = DOWN): CfdpAnswer {
    return this.files.answer({ ...call, link: 's' });
  }

  reply(call: CfdpCall = DOWN): CfdpReply {
    const answer = this.answer(call);
    if (!answer.ok) throw new Error(answer.faults[0].message);
    return answer.value;
  }

  /** Lets time pass; in each step the spacecraft sends up to so many PDUs. */
  async run(ms: number, pdus = 4, stepMs = STEP_MS): Promise<void> {
    for (let left = ms; left > 0; left -= stepMs) {
      const frames = this.spacecraft.take(pdus).map((pdu) => this.frameOf(pdu));
      const taken = frames.length > 0 ? this.receive(frames) : undefined;
      this.clock.advance(stepMs);
      await settled();
      // What waits for room must not stop the world.
      await Promise.race([taken, settled()]);
    }
  }

  /** Asks every second until the answer is not `running`, for ten minutes at most. */
  async until(call: CfdpCall = DOWN): Promise<CfdpReply> {
    for (let seconds = 0; seconds < 600; seconds += 1) {
      const reply = this.reply(call);
      if (reply.outcome !== 'running') return reply;
      await this.run(1_000);
    }
    throw new Error('it runs for ever');
  }

  /** PDUs over a gateway. */
  counts(gateway = 'g'): CfdpCounts {
    return this.files.counts.get(gateway)!;
  }

  get chunks() {
    return this.bus.stored.flatMap((message) => readFileChunk(message) ?? []);
  }

  get received(): Buffer {
    const file = Buffer.alloc(SIZE);
    for (const { offset, data } of this.chunks) file.set(data, offset);
    return file;
  }
}
