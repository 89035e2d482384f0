/** A modelled board with a clock moved by hand, and the few commands that tests of it repeat. */

import { MODULATIONS, type Modulation } from '../../../contract/bench/profile.ts';
import { modemDevice, type RegisterName, register } from '../../../radio/board/registers.ts';
import type { IioBuffer } from '../../../radio/iio/context.ts';
import { createStub, type StubBoard, type StubOptions } from '../../../radio/stub/stub.ts';
import { ManualClock } from '../../support/manual-clock.ts';

export const BLOCK = 4096;
const ACCESS = { device: modemDevice.control, of: 'debug', name: 'direct_reg_access' } as const;

export interface Rig {
  readonly clock: ManualClock;
  readonly board: StubBoard;
}

export interface LinkUnderTest {
  readonly modulation?: Modulation;
  readonly sampleRate?: number;
  readonly interpolation?: number;
  readonly rxGainDb?: number;
  readonly attenuationDb?: number;
  readonly coding?: number;
  readonly framing?: number;
  readonly syncWord?: number;
}

export function rig(options: Partial<StubOptions> = {}): Rig {
  const clock = new ManualClock(1_000_000);
  return { clock, board: createStub({ seed: 7, clock, ...options }) };
}

/** A board on the air: 1 MBd QPSK at 2.4 GHz unless reported otherwise, egress open, locked. */
export async function tuned(link: LinkUnderTest = {}, options: Partial<StubOptions> = {}): Promise<Rig> {
  const made = rig(options);
  await tune(made.board, link);
  await setRegister(made.board, 'control', 4);
  made.clock.advance(100);
  return made;
}

export async function tune(board: StubBoard, link: LinkUnderTest = {}): Promise<void> {
  const { modulation = 'qpsk', sampleRate = 4_000_000, interpolation = 1 } = link;
  await phy(board, 'voltage0', false, 'sampling_frequency', String(sampleRate));
  await phy(board, 'voltage0', false, 'gain_control_mode', 'manual');
  await phy(board, 'voltage0', false, 'hardwaregain', String(link.rxGainDb ?? 40));
  await phy(board, 'voltage0', true, 'hardwaregain', String(-(link.attenuationDb ?? 10)));
  await phy(board, 'altvoltage0', true, 'frequency', '2400000000');
  await phy(board, 'altvoltage1', true, 'frequency', '2400000000');
  await setRegister(board, 'modulation', MODULATIONS.indexOf(modulation));
  await setRegister(board, 'interpolation', interpolation);
  await setRegister(board, 'coding', link.coding ?? 0);
  await setRegister(board, 'framing', link.framing ?? 0);
  await setRegister(board, 'syncWord', link.syncWord ?? 0x1acf_fc1d);
}

export function phy(
  board: StubBoard,
  channel: string,
  output: boolean,
  name: string,
  value: string,
): Promise<void> {
  return board.write({ device: 'ad9361-phy', of: 'channel', channel, output, name }, value);
}

export function readPhy(board: StubBoard, channel: string, output: boolean, name: string): Promise<string> {
  return board.read({ device: 'ad9361-phy', of: 'channel', channel, output, name });
}

export async function getRegister(board: StubBoard, name: RegisterName): Promise<number> {
  await board.write(ACCESS, `0x${register[name].address.toString(16)}`);
  return Number(await board.read(ACCESS));
}

export function setRegister(board: StubBoard, name: RegisterName, value: number): Promise<void> {
  const word = (value >>> 0).toString(16);
  return board.write(ACCESS, `0x${register[name].address.toString(16)} 0x${word}`);
}

export function openCapture(board: StubBoard): Promise<IioBuffer> {
  return board.open(modemDevice.receive, { samples: BLOCK, mask: 1 });
}

export function openOutput(board: StubBoard, cyclic = false): Promise<IioBuffer> {
  return board.open(modemDevice.transmit, { samples: BLOCK, mask: 1, cyclic });
}

/** Sends blocks and returns everything that was captured meanwhile, without what lay in the queues before. */
export async function passed({ board, clock }: Rig, sent: Uint8Array): Promise<Uint8Array> {
  const capture = await openCapture(board);
  const output = await openOutput(board);
  const captured: Uint8Array[] = [];
  const { blockMs } = board.truth();
  const writing = output.write(sent, 1e9);
  for (let left = sent.length / BLOCK + 3; left > 0; left -= 16) {
    clock.advance(Math.min(16, left) * blockMs);
    captured.push(...(await drained(capture, clock)));
  }
  await writing;
  await capture.close();
  await output.close();
  return Buffer.concat(captured);
}

/** Every whole block that is there. */
export async function drained(capture: IioBuffer, clock: ManualClock): Promise<Uint8Array[]> {
  const blocks: Uint8Array[] = [];
  for (;;) {
    const reading = capture.read(BLOCK, 0).catch(() => undefined);
    clock.advance(0);
    const block = await reading;
    if (block === undefined) return blocks;
    blocks.push(block);
  }
}

/** Bytes that differ everywhere, so that a place in them is found by a few. */
export function payload(blocks: number): Uint8Array {
  const bytes = new Uint8Array(blocks * BLOCK);
  let state = 0x1234_5678;
  for (let at = 0; at < bytes.length; at += 1) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    bytes[at] = state >>> 24;
  }
  return bytes;
}

/** Where `sent` begins in `captured`, by its first bytes that arrived whole; -1: nowhere. */
export function placeOf(sent: Uint8Array, captured: Uint8Array): number {
  const stream = Buffer.from(captured);
  for (let from = 0; from + 8 <= sent.length; from += 8) {
    const at = stream.indexOf(sent.subarray(from, from + 8));
    if (at !== -1) return at - from;
  }
  return -1;
}

/** Share of bytes of `sent` that arrived right from a place on. */
export function ratioFrom(sent: Uint8Array, captured: Uint8Array, place: number): number {
  const compared = Math.min(sent.length, captured.length - place);
  let equal = 0;
  for (let at = 0; at < compared; at += 1) if (captured[place + at] === sent[at]) equal += 1;
  return equal / compared;
}
