/** What the board can do, its registers and its clocks. RF Bench Service, section 2. */

import type { Aux, AuxRegister, Capabilities, Clocks } from '../../../contract/bench/capability.ts';
import { observe } from '../../../radio/board/observed.ts';
import { PHY } from '../../../radio/board/phy.ts';
import { readClocks } from '../../../radio/board/reading.ts';
import { modemDevice, type RegisterName, register } from '../../../radio/board/registers.ts';
import type { BoardBounds } from '../../../radio/document/bounds.ts';
import type { IioContext } from '../../../radio/iio/context.ts';
import { baudLabel, USUAL_BAUDS } from '../../../radio/rates.ts';
import type { Board } from './board.ts';
import { word } from './status.ts';

/** Roll-off of the list: that of a profile which states none. */
const ROLLOFF = 0.35;

export function capabilitiesOf({ context }: Board, bounds: BoardBounds): Capabilities {
  return {
    modulations: [...bounds.modulations],
    rx_channels: channels(context, false),
    tx_channels: channels(context, true),
    mock: context.source === 'stub',
    symbol_rates: USUAL_BAUDS.map((baud) => {
      const plan = bounds.rate(baud, ROLLOFF);
      const label = baudLabel(baud);
      if (!plan.ok) return { baud, label, available: false, unavailable_reason: plan.faults.join('; ') };
      const { sampleRateSps, interpolation } = plan.value;
      return { baud, label, available: true, ad9361_rate_sps: sampleRateSps, interp: interpolation };
    }),
  };
}

/** Each register of the modem, or why it has no value. */
export async function readAux(board: Board): Promise<Aux> {
  const names = Object.keys(register) as RegisterName[];
  const regs: AuxRegister[] = [];
  for (const name of names) regs.push(await auxRegister(board, name));
  if (regs.some(({ value }) => value !== undefined)) return { available: true, regs };
  return { available: false, reason: regs[0]?.error ?? 'no register can be read', regs };
}

/** `enable` and `prepare` are authoritative, the rate is what the clock framework says. */
export async function readClockStates({ context }: Board): Promise<Clocks> {
  const clocks = await observe(readClocks(context));
  if ('error' in clocks) return { available: false, source: clocks.error, clocks: [] };
  return { available: true, source: `${modemDevice.control} clocks`, clocks: [...clocks.value] };
}

async function auxRegister(board: Board, name: RegisterName): Promise<AuxRegister> {
  const { address, doc } = register[name];
  const seen = await word(board, name);
  const shown = { name: register[name].name, addr: `0x${address.toString(16).padStart(2, '0')}`, doc };
  return 'value' in seen ? { ...shown, value: seen.value } : { ...shown, error: seen.error };
}

/** Channels of the part, each of which has I and Q. */
function channels({ devices }: IioContext, output: boolean): number {
  const phy = devices.find(({ name }) => name === PHY);
  return (phy?.channels ?? []).filter(
    (channel) => channel.output === output && /^voltage[01]$/.test(channel.id),
  ).length;
}
