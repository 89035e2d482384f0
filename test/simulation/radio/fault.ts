/** What goes wrong with the board, the way to it, the store and the daemon in a simulated scenario. */

import type { StubFaults } from '../../../radio/stub/faults.ts';
import type { Chance } from '../chance.ts';

/** Times in ms; what lasts is repaired after `forMs`. */
export type RadioFault = { readonly at: number; readonly forMs: number } & (
  | { readonly kind: 'board'; readonly faults: StubFaults }
  /** Each question takes so long. */
  | { readonly kind: 'slow'; readonly latencyMs: number }
  /** The question after so many is never answered; it was done or not. */
  | { readonly kind: 'silence'; readonly after: number; readonly done: boolean }
  /** The way to the board is cut; the board goes on, or begins again. */
  | { readonly kind: 'lost'; readonly cold: boolean }
  | { readonly kind: 'crash' }
  | { readonly kind: 'store'; readonly how: 'away' | 'slow' }
);

/** Attributes that fail; a change of any of them stands behind the commands that are asked. */
const ATTRIBUTES = [
  'modem-ctl debug direct_reg_access',
  'modem-ctl clocks',
  'ad9361-phy voltage0 (out) hardwaregain',
  'ad9361-phy voltage0 (in) hardwaregain',
  'ad9361-phy voltage0 (in) gain_control_mode',
  'ad9361-phy voltage0 (in) sampling_frequency',
  'ad9361-phy voltage0 (in) rf_bandwidth',
  'ad9361-phy altvoltage0 (out) frequency',
  'ad9361-phy altvoltage1 (out) frequency',
  'ad9361-phy out (in) voltage_filter_fir_en',
  'ad9361-phy debug loopback',
  'ad9361-phy ensm_mode',
  'ad9361-phy rx_path_rates',
  'modem-rx buffer',
  'modem-tx buffer',
] as const;
/** EIO, EBUSY, EINVAL, ETIMEDOUT. */
const NUMBERS = [5, 16, 22, 110] as const;
const REGISTERS = ['control', 'loopback', 'status', 'clear', 'modulation', 'transmitOffset'] as const;
const CLOCKS = ['adc_clk', 'dac_clk', 'rx_sampl_clk'] as const;

/** Whether a fault of the board changes what is so, beside what can be read of it. */
export function changesTruth(fault: RadioFault): boolean {
  if (fault.kind === 'lost') return fault.cold;
  return fault.kind === 'board' && fault.faults.attributes === undefined;
}

export function drawFault(chance: Chance, at: number): RadioFault {
  const forMs = Math.round(chance.between(20, 2_500));
  const kind = chance.one(['board', 'board', 'board', 'slow', 'silence', 'lost', 'crash', 'store']);
  // Drawn before they are needed: what one kind draws does not move what another does.
  const [faults, latencyMs, after] = [drawBoardFaults(chance), chance.between(1, 20), chance.whole(0, 400)];
  const isSo = chance.happens(0.5);
  switch (kind) {
    case 'board':
      return { at, forMs, kind, faults };
    case 'slow':
      return { at, forMs, kind, latencyMs };
    case 'silence':
      return { at, forMs, kind, after, done: isSo };
    case 'lost':
      return { at, forMs, kind, cold: isSo };
    case 'store':
      return { at, forMs, kind, how: isSo ? 'away' : 'slow' };
    default:
      return { at, forMs, kind: 'crash' };
  }
}

function drawBoardFaults(chance: Chance): StubFaults {
  const kind = chance.whole(0, 9);
  const attribute = chance.one(ATTRIBUTES);
  const number = chance.one(NUMBERS);
  const name = chance.one(REGISTERS);
  const clock = chance.one(CLOCKS);
  const side = chance.one(['rx', 'tx'] as const);
  if (kind <= 3) return { attributes: { [attribute]: number } };
  if (kind === 4) return { deadRegisters: [name] };
  if (kind === 5) return { stuckReceiver: true };
  if (kind === 6) return { stoppedClocks: [clock] };
  if (kind === 7) return { frozenModulator: true };
  if (kind === 8) return { stuckOscillators: [side] };
  return { stalled: side === 'rx' ? { receive: true } : { transmit: true } };
}

/** Everything that a fault of the board can be, repaired. */
export const SOUND: StubFaults = {
  attributes: undefined,
  deadRegisters: undefined,
  stuckReceiver: undefined,
  stoppedClocks: undefined,
  frozenModulator: undefined,
  stuckOscillators: undefined,
  stalled: undefined,
};

export function describeFault(fault: RadioFault): string {
  const { at, forMs, ...what } = fault;
  return `${JSON.stringify(what)} for ${forMs} ms`;
}
