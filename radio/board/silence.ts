/**
 * Silences a transmitter that nobody answers for: when a board is found, before anything else is done with it, and when
 * the daemon that drove it ends.
 *
 * S1. What radiates: a transmitter of the part that is not muted, with its oscillator powered, and behind it an open
 *     egress, a tone, or samples of another tool. What cannot be read is taken for the worse.
 * S2. Nothing is written to a board that does not radiate.
 * S3. That it is silent is read back, not assumed.
 */

import type { IioContext } from '../iio/context.ts';
import type { Late, Modem } from './modem.ts';
import { knownValue, type Observed, observe } from './observed.ts';
import { MUTED_DB, Phy } from './phy.ts';
import { controlBit, register } from './registers.ts';

export interface Silenced {
  /** How it was found, in words. */
  readonly found: string;
  /** Why it is not known to be silent now. */
  readonly trouble: string | undefined;
}

/** Silences the board if it radiates; undefined: it did not. `late` as for the closing of the egress. */
export async function silence(context: IioContext, modem: Modem, late: Late): Promise<Silenced | undefined> {
  const phy = new Phy(context.urgent ?? context);
  const levels = [await observe(phy.gainDb('tx')), await observe(phy.secondGainDb())];
  const isDown = knownValue(await observe(phy.isPoweredDown('tx'))) === true;
  if (isDown || levels.every(isMuted)) return undefined;
  const control = await inTime(modem.read(register.control), late);
  const others = [await observe(phy.playsTone()), await observe(phy.playsSamples())];
  const isOpen = !('value' in control) || (control.value & controlBit.egress) !== 0;
  if (!isOpen && !others.some((other) => knownValue(other) === true)) return undefined;
  const found =
    `transmitter at ${levels.map(wordOf).join(' and ')}, egress ${egressWord(control)}` +
    (knownValue(others[1]!) === true ? ', samples of another tool' : '');
  const failures: string[] = [];
  const muted = await observe(phy.mute());
  if ('error' in muted) failures.push(muted.error);
  const closed = await observe(modem.closeEgress(late));
  const now = [await observe(phy.gainDb('tx')), await observe(phy.secondGainDb())];
  if (!now.every(isMuted)) failures.push(`it reads ${now.map(wordOf).join(' and ')}`);
  // Muted it radiates nothing, whatever the logic says.
  if (failures.length > 0 && 'error' in closed) failures.push(closed.error);
  return { found, trouble: failures.length === 0 ? undefined : failures.join('; ') };
}

function isMuted(level: Observed<number | undefined>): boolean {
  return 'value' in level && (level.value === undefined || level.value <= MUTED_DB);
}

function wordOf(level: Observed<number | undefined>): string {
  if ('error' in level) return `an unknown level (${level.error})`;
  return level.value === undefined ? 'none' : `${level.value} dB`;
}

function egressWord(control: Observed<number>): string {
  if ('error' in control) return `not known (${control.error})`;
  return (control.value & controlBit.egress) === 0 ? 'closed' : 'open';
}

async function inTime(reading: Promise<number>, late: Late): Promise<Observed<number>> {
  const overdue = late(reading).then((): Observed<number> => ({ error: 'not read in time' }));
  return Promise.race([observe(reading), overdue]);
}

/** For events and logs. */
export function silencedWords({ found, trouble }: Silenced, why: string): string {
  const end = trouble === undefined ? 'muted' : `NOT KNOWN TO BE MUTED: ${trouble}`;
  return `${why}: ${found}; ${end}`;
}
