/** What a profile asks of the board, at the rate that is planned for it or at one that is asked for. */

import { BLOCK_BYTES } from '../../../contract/bench/datapath.ts';
import type { BenchFault } from '../../../contract/bench/errors.ts';
import type { Profile } from '../../../contract/bench/profile.ts';
import { accepted, type Result } from '../../../contract/result.ts';
import type { Applied } from '../../../machines/bench/radio-record.ts';
import { rolloffOf, type Setup, setupOf } from '../../../radio/board/setup.ts';
import type { BoardBounds } from '../../../radio/document/bounds.ts';
import { bitsPerSymbol, codeRate } from '../../../radio/modulation.ts';
import { MODEM_RATES, planAt } from '../../../radio/rates.ts';
import { refuse } from './board-fault.ts';

/** The settings; refused where the hardware cannot have the rate. */
export function setupFor(
  profile: Profile,
  bounds: BoardBounds,
  sampleRateSps?: number | undefined,
): Result<Setup, BenchFault> {
  const rolloff = rolloffOf(profile);
  const baud = profile.symbol_rate_baud;
  const plan =
    sampleRateSps === undefined
      ? bounds.rate(baud, rolloff)
      : planAt(baud, sampleRateSps, { ...MODEM_RATES, rolloff });
  if (plan.ok) return accepted(setupOf(profile, plan.value));
  const where = sampleRateSps === undefined ? `profile ${profile.name}` : 'rate_sps';
  return refuse('validation_failed', `${where}: ${plan.faults.join('; ')}`);
}

/** How long a block of the profile is on the air; undefined while none is applied. */
export function blockPeriodMs(applied: Applied | undefined): number | undefined {
  if (applied === undefined) return undefined;
  const { modulation, symbol_rate_baud: baud, fec = {} } = applied.profile;
  return (BLOCK_BYTES * 8 * 1000) / (baud * bitsPerSymbol(modulation) * codeRate(fec));
}
