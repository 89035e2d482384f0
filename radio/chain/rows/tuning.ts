/** Oscillators and gains, as the profile asks for them. */

import { offsetAt } from '../../board/actions.ts';
import type { Setup } from '../../board/setup.ts';
import type { ConditionRow } from '../condition.ts';
import { all, bySetup, judged } from '../finding.ts';
import { AIR, apply, decibels, EVERYWHERE, near, numberOf, offset, ofSide, read, SIDES } from '../view.ts';

/**
 * The clock framework keeps half the frequency, and the synthesiser has steps: what is read may be this far off. So may
 * a digital offset that was set to make up for it.
 */
const OSCILLATOR_TOLERANCE_HZ = 4;

export const TUNING: readonly ConditionRow[] = [
  ...SIDES.map(
    (side): ConditionRow => ({
      key: `lo.${side}`,
      stage: 'rf',
      source: 'board',
      targets: AIR,
      breaks: 'the carrier is outside the acquisition range of the receiver',
      fix: ({ session: { profile } }) =>
        `POST /api/v1/radio/frequency {"center_frequency_hz": ${centre(profile?.setup, side)}, "channel": "${side}"}`,
      remedy: { do: 'radio.frequency' },
      find: (view) =>
        bySetup(view, (setup) =>
          all([
            near(numberOf(view, side, 'oscillatorHz'), setup[side].oscillatorHz, OSCILLATOR_TOLERANCE_HZ),
            judged(
              ofSide(view, side, 'poweredDown'),
              'powered',
              (down) => down === false,
              (down) => (down === true ? 'powered down' : 'powered'),
            ),
          ]),
        ),
    }),
  ),
  ...SIDES.map(
    (side): ConditionRow => ({
      key: `nco.${side}`,
      stage: 'rf',
      source: 'board',
      targets: EVERYWHERE,
      breaks: 'carrier lock is lost, in a loopback too',
      fix: ({ session: { profile } }) =>
        `POST /api/v1/radio/frequency {"center_frequency_hz": ${centre(profile?.setup, side)}, "channel": "${side}", "tune_lo": false}`,
      remedy: { do: 'radio.offset' },
      find: (view) =>
        bySetup(view, (setup) =>
          judged(
            offset(view, side),
            `${offsetAt(setup, side, view.target)} Hz`,
            (hz) => Math.abs(hz - offsetAt(setup, side, view.target)) <= OSCILLATOR_TOLERANCE_HZ,
            (hz) => `${hz} Hz`,
          ),
        ),
    }),
  ),
  {
    key: 'gain.mode',
    stage: 'rf',
    source: 'board',
    targets: AIR,
    breaks: 'the automatic gain hunts on bursts, or a gain that is set is overwritten',
    fix: apply,
    remedy: { do: 'profile.apply' },
    find: (view) =>
      bySetup(view, ({ gainMode }) =>
        judged(
          read(view, (board) => board.gainMode),
          gainMode,
          (mode) => mode === gainMode,
        ),
      ),
  },
  {
    key: 'gain.rx',
    stage: 'rf',
    source: 'board',
    targets: AIR,
    breaks: 'the signal is lost in the noise of the converter, or clips',
    fix: ({ session: { profile } }) =>
      `POST /api/v1/radio/gain {"rx_gain_db": ${profile?.setup.rx.gainDb ?? 0}}`,
    remedy: { do: 'radio.gain' },
    find: (view) =>
      bySetup(view, ({ rx, gainMode }) =>
        gainMode === 'manual'
          ? decibels(numberOf(view, 'rx', 'gainDb'), rx.gainDb)
          : { required: gainMode, observed: 'set by the part', verdict: 'met' },
      ),
  },
];

function centre(setup: Setup | undefined, side: 'rx' | 'tx'): number {
  return setup === undefined ? 0 : setup[side].oscillatorHz + setup[side].offsetHz;
}
