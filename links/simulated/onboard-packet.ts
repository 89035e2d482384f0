/**
 * Packets as the flight software of the simulated spacecraft reads and writes them, after the interface control
 * document `missions/demo/README.md` and ECSS-E-ST-70-41C. On purpose it shares no code with the drivers: two readings
 * of one document find each other's mistakes.
 *
 * O1. Reading never throws; what cannot be a telecommand for the APID is not one.
 */

/** Of the six-unit CubeSat. */
export const APID = 0x73;
const PACKET_HEADER = 6;
/** Secondary header of a telecommand and its CRC. */
const COMMAND_OVERHEAD = 5 + 2;
const TELEMETRY_HEADER = 14;

export interface ReceivedCommand {
  /** First four bytes of the packet, hexadecimal. */
  readonly request: string;
  readonly wantsAcceptance: boolean;
  readonly wantsCompletion: boolean;
  readonly crcHolds: boolean;
  /** Whether the length in the header is that of the packet. */
  readonly lengthHolds: boolean;
  readonly service: number;
  readonly subtype: number;
  readonly data: Buffer;
}

/** What the register of the CRC of ECSS-E-ST-70-41C annex B comes to behind one byte, bit by bit as its text has it. */
function behindByte(before: number, byte: number): number {
  let register = before;
  for (let bit = 7; bit >= 0; bit -= 1) {
    const feedback = ((register >> 15) ^ (byte >> bit)) & 1;
    register = (register << 1) & 0xffff;
    if (feedback === 1) register ^= 0x1021;
  }
  return register;
}

const BEHIND = Uint16Array.from({ length: 256 }, (_, byte) => behindByte(0, byte));

/** The remainder over the bytes. */
function remainder(bytes: Buffer): number {
  let register = 0xffff;
  // The CRC is linear: what a byte does to it depends on the eight bits that leave the register.
  for (const byte of bytes) register = ((register << 8) & 0xffff) ^ BEHIND[(register >> 8) ^ byte]!;
  return register;
}

/** The APID of a telecommand packet; undefined when the frame is none. */
export function apidOfCommand(frame: Buffer): number | undefined {
  if (frame.length < PACKET_HEADER + COMMAND_OVERHEAD) return undefined;
  const version = frame[0]! >> 5;
  const isCommand = (frame[0]! & 0b0001_1000) === 0b0001_1000;
  if (version !== 0 || !isCommand || frame[6]! >> 4 !== 2) return undefined;
  return ((frame[0]! & 0b111) << 8) | frame[1]!;
}

/** The telecommand in an uplinked frame; undefined when it is none for this spacecraft. */
export function receiveCommand(frame: Buffer, ours: number): ReceivedCommand | undefined {
  if (apidOfCommand(frame) !== ours) return undefined;
  return {
    request: frame.subarray(0, 4).toString('hex'),
    wantsAcceptance: (frame[6]! & 0b1000) !== 0,
    wantsCompletion: (frame[6]! & 0b0001) !== 0,
    crcHolds: remainder(frame) === 0,
    lengthHolds: frame.readUInt16BE(4) + 1 === frame.length - PACKET_HEADER,
    service: frame[7]!,
    subtype: frame[8]!,
    data: frame.subarray(11, frame.length - 2),
  };
}

export interface Message {
  readonly service: number;
  readonly subtype: number;
  readonly data: Buffer;
}

/** Writes telemetry packets with their counters. */
export class TelemetryWriter {
  readonly #apid: number;
  #packets = 0;
  readonly #messages = new Map<number, number>();

  constructor(apid: number = APID) {
    this.#apid = apid;
  }

  /** The packet of a message at an on-board time, ms since 1970. */
  packet({ service, subtype, data }: Message, timeMs: number): Buffer {
    const kind = service * 256 + subtype;
    const counter = this.#messages.get(kind) ?? 0;
    this.#messages.set(kind, (counter + 1) & 0xffff);
    const packet = Buffer.alloc(PACKET_HEADER + TELEMETRY_HEADER + data.length + 2);
    packet.writeUInt16BE(0x0800 | this.#apid, 0);
    packet.writeUInt16BE(0xc000 | this.#packets, 2);
    packet.writeUInt16BE(packet.length - PACKET_HEADER - 1, 4);
    packet.set([0x20, service, subtype], PACKET_HEADER);
    packet.writeUInt16BE(counter, 9);
    writeTime(packet, 13, timeMs);
    data.copy(packet, PACKET_HEADER + TELEMETRY_HEADER);
    packet.writeUInt16BE(remainder(packet.subarray(0, -2)), packet.length - 2);
    this.#packets = (this.#packets + 1) & 0x3fff;
    return packet;
  }
}

/** P-field 0x40, days since 1958-01-01, ms of the day. */
function writeTime(packet: Buffer, at: number, timeMs: number): void {
  const since1958 = Math.floor(timeMs) + 378_691_200_000;
  packet.writeUInt8(0x40, at);
  packet.writeUInt16BE(Math.floor(since1958 / 86_400_000), at + 1);
  packet.writeUInt32BE(since1958 % 86_400_000, at + 3);
}
