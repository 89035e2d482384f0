/**
 * Everything the bench reads back from a board, at one look. RF Bench Service, section 2 (radio status, chain
 * conditions).
 *
 * B1. A part that does not answer is an error of that part; the rest is read all the same.
 * B2. Reading changes nothing on the board.
 */

import type { ClockState } from '../../contract/bench/capability.ts';
import type { ChainTarget } from '../../contract/bench/chain.ts';
import { errno, type IioContext, IioFailure } from '../iio/context.ts';
import type { Modem } from './modem.ts';
import { type Observed, observe } from './observed.ts';
import { type GainMode, PHY, Phy, type Side } from './phy.ts';
import { modemDevice, type RegisterName, register } from './registers.ts';

/** One direction of the radio. */
export interface SideReading {
  readonly oscillatorHz: Observed<number>;
  readonly poweredDown: Observed<boolean>;
  readonly gainDb: Observed<number>;
  /** As asked for. */
  readonly bandwidthHz: Observed<number>;
  readonly sampleRate: Observed<number>;
}

export interface BoardReading {
  readonly phy: Observed<string>;
  readonly rx: SideReading;
  readonly tx: SideReading;
  /** Of the transmitter that the modem does not drive; undefined: there is none. */
  readonly secondGainDb: Observed<number | undefined>;
  readonly gainMode: Observed<GainMode>;
  readonly filter: Observed<boolean>;
  readonly state: Observed<string>;
  /** Of the base band. */
  readonly clockHz: Observed<number>;
  /** 0 off, 1 inside the part, 2 in the converter core. */
  readonly deviceLoopback: Observed<number>;
  readonly tone: Observed<boolean>;
  /** Samples of another tool leave. */
  readonly samples: Observed<boolean>;
  readonly temperatureC: Observed<number>;
  readonly clocks: Observed<readonly ClockState[]>;
  readonly modemVersion: Observed<string>;
  readonly registers: Readonly<Record<RegisterName, Observed<number>>>;
}

/** Reads a board; of a lost one nothing can be read. */
export async function readBoard(context: IioContext, modem: Modem): Promise<BoardReading> {
  const phy = new Phy(context);
  return {
    phy: await observe(findPhy(context)),
    rx: await readSide(phy, 'rx'),
    tx: await readSide(phy, 'tx'),
    secondGainDb: await observe(phy.secondGainDb()),
    gainMode: await observe(phy.gainMode()),
    filter: await observe(phy.hasFilter()),
    state: await observe(phy.state()),
    clockHz: await observe(phy.clockHz()),
    deviceLoopback: await observe(phy.loopback()),
    tone: await observe(phy.playsTone()),
    samples: await observe(phy.playsSamples()),
    temperatureC: await observe(phy.temperatureC()),
    clocks: await observe(readClocks(context)),
    modemVersion: await observe(modem.version()),
    registers: await readRegisters(modem),
  };
}

/** The values of all registers, each or why it could not be read. */
export async function readRegisters(modem: Modem): Promise<Record<RegisterName, Observed<number>>> {
  const values: Partial<Record<RegisterName, Observed<number>>> = {};
  for (const name of Object.keys(register) as RegisterName[])
    values[name] = await observe(modem.read(register[name]));
  return values as Record<RegisterName, Observed<number>>;
}

/** Where what is transmitted goes now; undefined when a switch could not be read, or is in a place of neither. */
export function currentTarget({ deviceLoopback, registers }: BoardReading): ChainTarget | undefined {
  if ('error' in deviceLoopback || 'error' in registers.loopback) return undefined;
  if ((registers.loopback.value & 1) === 1) return 'pl-loopback';
  if (deviceLoopback.value === 1) return 'device-loopback';
  return deviceLoopback.value === 0 ? 'air' : undefined;
}

/** The states of the clocks, as the control device of the modem lists them: `name enable prepare rate` in each line. */
export async function readClocks(context: IioContext): Promise<ClockState[]> {
  const text = await context.read({ device: modemDevice.control, of: 'device', name: 'clocks' });
  const clocks = text.split('\n').flatMap((line) => {
    const [name, enable, prepare, rate] = line.trim().split(/\s+/);
    if (name === undefined || name === '') return [];
    return { name, enable: Number(enable), prepare: Number(prepare), rate_hz: Number(rate) };
  });
  if (clocks.some(({ enable, prepare, rate_hz }) => ![enable, prepare, rate_hz].every(Number.isInteger)))
    throw new IioFailure(
      errno.EIO,
      `${modemDevice.control} clocks are not in the form "name enable prepare rate"`,
    );
  return clocks;
}

async function readSide(phy: Phy, side: Side): Promise<SideReading> {
  return {
    oscillatorHz: await observe(phy.oscillatorHz(side)),
    poweredDown: await observe(phy.isPoweredDown(side)),
    gainDb: await observe(phy.gainDb(side)),
    bandwidthHz: await observe(phy.bandwidthHz(side)),
    sampleRate: await observe(phy.sampleRate(side)),
  };
}

async function findPhy({ devices }: IioContext): Promise<string> {
  const found = devices.find(({ name }) => name === PHY);
  if (found === undefined)
    throw new IioFailure(errno.ENODEV, `no device ${PHY} among ${devices.length} of the board`);
  return `${found.name} (${found.id})`;
}
