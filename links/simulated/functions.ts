/**
 * The functions a telecommand can ask of the simulated spacecraft: 17,1 and the functions of 8,1 in
 * `missions/demo/README.md`. Reading a telecommand reports whether it is acceptable; doing it happens later and may
 * still fail.
 *
 * Z1. Acceptance looks at the packet alone (codes 1 to 4); the mode is looked at when it is done (code 5).
 */

import type { ReceivedCommand } from './onboard-packet.ts';
import { MODE, type OnboardState } from './onboard-state.ts';

export const FAILURE = { crc: 1, unknown: 2, length: 3, range: 4, mode: 5 } as const;
type Failure = (typeof FAILURE)[keyof typeof FAILURE];

/** Does it; the code of a failure when it cannot be done now. */
export type Task = (state: OnboardState) => Failure | undefined;

/** Most bytes one file holds. */
const FILE_BYTES = 65_536;
/** Most files the memory holds. */
const FILES = 256;
const CHANNELS = { 1: 'payload', 2: 'heater' } as const;

/** Reads the arguments after the function number: a task, or why the telecommand is not acceptable. */
type Parse = (data: Buffer) => Task | Failure;

const FUNCTIONS: Readonly<Record<number, Parse>> = {
  1: fixed(1, setMode),
  2: fixed(2, setWatchdog),
  3: fixed(0, () => reboot),
  4: fixed(5, setHeater),
  5: fixed(2, switchChannel),
  6: shoot,
  7: fixed(0, () => nothing),
  9: fixed(0, () => nothing),
  10: fixed(8, readFile),
  11: writeFile,
};

/** What a telecommand asks; the code of service 1 when it is not acceptable. */
export function taskOf(command: ReceivedCommand): Task | Failure {
  if (!command.lengthHolds) return FAILURE.length;
  if (!command.crcHolds) return FAILURE.crc;
  if (isPing(command)) return command.data.length === 0 ? nothing : FAILURE.length;
  if (command.service !== 8 || command.subtype !== 1) return FAILURE.unknown;
  if (command.data.length === 0) return FAILURE.length;
  const parse = FUNCTIONS[command.data[0]!];
  return parse === undefined ? FAILURE.unknown : parse(command.data.subarray(1));
}

/** Whether it is 17,1, which is also answered by 17,2. */
export function isPing({ service, subtype }: ReceivedCommand): boolean {
  return service === 17 && subtype === 1;
}

function fixed(bytes: number, parse: Parse): Parse {
  return (data) => (data.length === bytes ? parse(data) : FAILURE.length);
}

function nothing(): undefined {
  return undefined;
}

function reboot(state: OnboardState): Failure | undefined {
  if (state.mode !== MODE.SAFE) return FAILURE.mode;
  state.reboot();
  return undefined;
}

/** BOOT is reached by rebooting only. */
function setMode(data: Buffer): Task | Failure {
  const mode = data[0]!;
  if (mode !== MODE.SAFE && mode !== MODE.NOMINAL) return FAILURE.range;
  return (state) => {
    state.mode = mode;
    return undefined;
  };
}

function setWatchdog(data: Buffer): Task | Failure {
  const period = data.readUInt16BE(0);
  if (period < 10 || period > 600) return FAILURE.range;
  return (state) => {
    state.watchdogS = period;
    return undefined;
  };
}

function setHeater(data: Buffer): Task | Failure {
  const which = data[0]!;
  const below = data.readFloatBE(1);
  if ((which !== 1 && which !== 2) || !(below >= -20 && below <= 20)) return FAILURE.range;
  return (state) => {
    state.batteries[which - 1]!.heaterOnBelow = below;
    return undefined;
  };
}

function switchChannel(data: Buffer): Task | Failure {
  const channel = CHANNELS[data[0]! as 1 | 2] as 'payload' | 'heater' | undefined;
  const on = data[1]!;
  if (channel === undefined || on > 1) return FAILURE.range;
  return (state) => {
    state[channel] = on === 1;
    return undefined;
  };
}

function shoot(data: Buffer): Task | Failure {
  if (data.length < 5 || data.length !== 5 + data[4]!) return FAILURE.length;
  const exposure = data.readFloatBE(0);
  // The nearest f32 to 0.1 and 500: bounds are meant in what the field can say.
  if (!(exposure >= Math.fround(0.1) && exposure <= 500)) return FAILURE.range;
  return (state) => {
    if (state.mode !== MODE.NOMINAL || !state.payload) return FAILURE.mode;
    state.images += 1;
    state.lastExposureMs = exposure;
    return undefined;
  };
}

function readFile(data: Buffer): Task | Failure {
  const [file, offset, length] = [data.readUInt16BE(0), data.readUInt32BE(2), data.readUInt16BE(6)];
  return (state) => {
    const content = state.files.get(file);
    return content !== undefined && offset + length <= content.length ? undefined : FAILURE.range;
  };
}

function writeFile(data: Buffer): Task | Failure {
  if (data.length < 8 || data.length !== 8 + data.readUInt16BE(6)) return FAILURE.length;
  const [file, offset] = [data.readUInt16BE(0), data.readUInt32BE(2)];
  const bytes = Buffer.from(data.subarray(8));
  if (offset + bytes.length > FILE_BYTES) return FAILURE.range;
  return (state) => store(state.files, file, offset, bytes);
}

function store(files: Map<number, Buffer>, file: number, offset: number, bytes: Buffer): Failure | undefined {
  const before = files.get(file) ?? Buffer.alloc(0);
  if (before.length === 0 && files.size >= FILES) return FAILURE.range;
  const after = Buffer.alloc(Math.max(before.length, offset + bytes.length));
  before.copy(after);
  bytes.copy(after, offset);
  files.set(file, after);
  return undefined;
}
