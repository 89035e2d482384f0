/**
 * The ground and the simulated three-unit CubeSat in virtual time: the files of the ground's driver, the radio channel
 * of a gateway each way, and the spacecraft with its telemetry.
 */

import type { CfdpCall, CfdpReply } from '../../../contract/cfdp.ts';
import { CfdpFiles } from '../../../links/driver/cfdp-files.ts';
import { RadioChannel } from '../../../links/gateway/radio-channel.ts';
import { CUBESAT_3U } from '../../../links/simulated/designs.ts';
import type { OnboardContent } from '../../../links/simulated/onboard-files.ts';
import { createSpacecraft, type Spacecraft } from '../../../links/simulated/spacecraft.ts';
import type { ChannelDocument } from '../../../mission/document/simulated.ts';
import { writePusTelecommand } from '../../../protocol/pus-telecommand.ts';
import { readSpacePacket, writeSpacePacket } from '../../../protocol/space-packet.ts';
import { ManualClock } from '../../support/manual-clock.ts';

export const START_MS = Date.UTC(2026, 0, 1, 12);
export const PDU_APID = 0x75;
const STEP_MS = 10;
/** PDUs that the ground sends in a step: 800 kbit/s at most. */
const SENT_IN_A_STEP = 1;

interface FlightOptions {
  readonly seed?: number;
  readonly channel?: ChannelDocument;
  readonly bitsPerSecond?: number;
  readonly files?: ReadonlyMap<number, number>;
}

export class FileFlight {
  readonly clock = new ManualClock(START_MS);
  readonly spacecraft: Spacecraft;
  ground: CfdpFiles;
  /** Every packet that the ground received, in order, and when. */
  readonly packets: { readonly at: number; readonly packet: Buffer }[] = [];
  /** Of the download: by file. */
  readonly received = new Map<string, Buffer>();
  /** Content of uploads by `source`. */
  readonly uploads = new Map<string, Buffer>();
  isLinkUp = true;
  readonly #up: RadioChannel;
  #count = 0;
  #transactions = 0;

  constructor({ seed = 7, channel = {}, bitsPerSecond = 1e6, files }: FlightOptions = {}) {
    const { clock } = this;
    const more = files === undefined ? {} : { files };
    this.spacecraft = createSpacecraft({ clock, seed, bitsPerSecond, ...more }, CUBESAT_3U);
    this.#up = new RadioChannel(clock, seed, { channel }, 'up');
    const down = new RadioChannel(clock, seed, { channel }, 'down');
    this.spacecraft.onDownlink((packet) => down.pass(packet, (frame) => this.#receive(frame)));
    this.ground = this.newGround();
  }

  /** A driver that begins, as after its restart. */
  newGround(): CfdpFiles {
    const { clock } = this;
    return new CfdpFiles(
      {
        settings: { local: 1n },
        peer: 42n,
        wallMs: clock.now(),
        newTransaction: () => `t${++this.#transactions}`,
        chunk: ({ file, offset, data }) => this.received.get(file)?.set(data, offset),
      },
      clock.monotonic(),
    );
  }

  async contentOf(id: string): Promise<OnboardContent | undefined> {
    return (await this.spacecraft.contents()).find((file) => file.id === id);
  }

  /** A call of what the spacecraft has now. */
  download(id: number, more: Partial<CfdpCall> = {}): CfdpCall {
    const { files } = this.spacecraft.state;
    const size = files.bytesOf(id)?.length ?? 0;
    const generation = files.generationOf(id) ?? 1;
    const call = { target: 'sat2', file_id: String(id), generation, direction: 'download', size } as const;
    if (!this.received.has(call.file_id)) this.received.set(call.file_id, Buffer.alloc(size));
    return { ...call, ...more };
  }

  upload(id: number, content: Buffer): CfdpCall {
    const source = `u${this.uploads.size}`;
    this.uploads.set(source, content);
    const what = { target: 'sat2', file_id: String(id), generation: 1, size: content.length, source };
    return { ...what, direction: 'upload' };
  }

  call(call: CfdpCall): CfdpReply {
    return this.ground.answer(call, this.clock.monotonic());
  }

  /** Sends a function of 8,1. */
  send(data: string): void {
    this.#count += 1;
    const packet = writePusTelecommand({
      apid: 0x74,
      sequenceCount: this.#count,
      flags: 9,
      service: 8,
      subtype: 1,
      source: 0,
      data: Buffer.from(data, 'hex'),
    });
    if (!packet.ok) throw new Error(packet.faults[0]);
    this.#uplink(packet.value);
  }

  /** The link goes away, or is back; the ground knows, the spacecraft does not. */
  link(isUp: boolean): void {
    this.isLinkUp = isUp;
    if (isUp) this.ground.linkUp(this.clock.monotonic());
    else this.ground.linkDown(this.clock.monotonic());
  }

  run(ms: number): void {
    for (let left = ms; left > 0; left -= STEP_MS) {
      this.#ground();
      this.clock.advance(Math.min(STEP_MS, left));
    }
  }

  /** Calls every five seconds until the answer is not `running`, at most for two hours. */
  until(call: CfdpCall): CfdpReply {
    for (const end = this.clock.now() + 7_200_000; this.clock.now() < end; this.run(5_000)) {
      const reply = this.call(call);
      if (reply.outcome !== 'running') return reply;
    }
    throw new Error('it runs for ever');
  }

  #ground(): void {
    const { ground } = this;
    const now = this.clock.monotonic();
    ground.tick(now);
    for (const { id, source, start, end } of ground.wanted())
      ground.give(id, start, this.uploads.get(source)?.subarray(start, end), now);
    for (let sent = 0; sent < SENT_IN_A_STEP; sent += 1) {
      const pdu = ground.pull(now);
      if (pdu === undefined) return;
      this.sendPdu(pdu);
    }
  }

  sendPdu(pdu: Buffer): void {
    const header = { type: 'telecommand', secondaryHeader: false, apid: PDU_APID } as const;
    const fields = { sequenceFlags: 'unsegmented', sequenceCount: 0 } as const;
    this.#uplink(writeSpacePacket({ ...header, ...fields }, pdu));
  }

  #uplink(frame: Buffer): void {
    if (this.isLinkUp) this.#up.pass(frame, (arrived) => this.spacecraft.uplink(arrived));
  }

  #receive(frame: Buffer): void {
    if (!this.isLinkUp) return;
    this.packets.push({ at: this.clock.now(), packet: frame });
    const header = readSpacePacket(frame);
    if (typeof header === 'string') throw new Error(header);
    if (header.apid === PDU_APID) this.ground.receive(frame.subarray(6), this.clock.monotonic());
  }
}
