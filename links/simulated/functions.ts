/**
 * The functions a telecommand can ask of a simulated spacecraft: 17,1 and the functions of 8,1 in
 * `missions/demo/README.md`. Reading a telecommand reports whether it is acceptable; doing it happens later and may
 * still fail.
 *
 * Z1. Acceptance looks at the packet alone (codes 1 to 4); the mode is looked at when it is done (code 5).
 */

import { deleteFile, listFiles, readFile, regenerateFile, writeFile } from './file-functions.ts';
import { MODE } from './onboard-mode.ts';
import type { ReceivedCommand } from './onboard-packet.ts';
import type { OnboardState } from './onboard-state.ts';
import { FAILURE, type Failure, type Parse, type Task } from './task.ts';

const CHANNELS = { 1: 'payload', 2: 'heater' } as const;

export type Functions = Readonly<Record<number, Parse>>;

/** Of the six-unit CubeSat. */
export const FUNCTIONS_6U: Functions = {
  1: fixed(1, setMode),
  2: fixed(2, setWatchdog),
  3: fixed(0, () => reboot),
  4: fixed(5, setHeater),
  5: fixed(2, switchChannel),
  6: shoot,
  7: fixed(0, () => nothing),
  9: fixed(0, () => listFiles),
  10: fixed(8, readFile),
  11: writeFile,
  12: fixed(2, deleteFile),
  13: fixed(2, regenerateFile),
};

/** Of the three-unit CubeSat, whose files go by CFDP. */
export const FUNCTIONS_3U: Functions = {
  1: fixed(1, setMode),
  2: fixed(2, setWatchdog),
  3: fixed(0, () => reboot),
  9: fixed(0, () => listFiles),
  12: fixed(2, deleteFile),
  13: fixed(2, regenerateFile),
};

/** What a telecommand asks; the code of service 1 when it is not acceptable. */
export function taskOf(command: ReceivedCommand, functions: Functions): Task | Failure {
  if (!command.lengthHolds) return FAILURE.length;
  if (!command.crcHolds) return FAILURE.crc;
  if (isPing(command)) return command.data.length === 0 ? nothing : FAILURE.length;
  if (command.service !== 8 || command.subtype !== 1) return FAILURE.unknown;
  if (command.data.length === 0) return FAILURE.length;
  const parse = functions[command.data[0]!];
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
