/** The modem: out of reset, and configured as the profile asks. */

import type { Observed } from '../../board/observed.ts';
import { clearBit, controlBit, type RegisterName, register } from '../../board/registers.ts';
import type { ConditionRow, Finding } from '../condition.ts';
import { all, bySetup, judged } from '../finding.ts';
import { apply, bits, EVERYWHERE, read, recover } from '../view.ts';

export const MODEM: readonly ConditionRow[] = [
  {
    key: 'pl.reset',
    stage: 'pl',
    source: 'board',
    targets: EVERYWHERE,
    breaks: 'the receiver or the modulator stands still',
    fix: recover,
    remedy: { do: 'chain.recover' },
    find: (view) => {
      const resets = controlBit.modulatorReset | controlBit.demodulatorReset;
      const clears = clearBit.demodulator | clearBit.frameSync | clearBit.receiveDma;
      return all([zero(bits(view, 'control', resets)), zero(bits(view, 'clear', clears))]);
    },
  },
  {
    key: 'pl.config',
    stage: 'pl',
    source: 'board',
    targets: EVERYWHERE,
    breaks: 'frames never synchronise',
    fix: apply,
    remedy: { do: 'profile.apply' },
    find: (view) =>
      bySetup(view, ({ registers }) => {
        const names = Object.keys(registers) as RegisterName[];
        return all(
          names.map((name) => {
            const wanted = `${register[name].name}=${registers[name]}`;
            return judged(
              read(view, (board) => board.registers[name]),
              wanted,
              (value) => value === registers[name],
              (value) => `${register[name].name}=${value}`,
            );
          }),
        );
      }),
  },
];

function zero(seen: Observed<number>): Finding {
  return judged(
    seen,
    'released',
    (held) => held === 0,
    (held) => (held === 0 ? 'released' : `bits 0x${held.toString(16)} held`),
  );
}
