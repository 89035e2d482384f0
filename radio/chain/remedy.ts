/**
 * What each step of conditioning does to the board, and its words.
 *
 * M1. The settings of a profile for the air do not raise the transmitter while the path is a loopback: its level comes
 *     behind the switch.
 * M2. They give the receiver the offset that the target asks for: what was fixed before them stays so.
 */

import { assert } from '../../contract/assert.ts';
import { type BoardActions, offsetAt } from '../board/actions.ts';
import { currentTarget } from '../board/reading.ts';
import type { Setup } from '../board/setup.ts';
import type { ChainView, Remedy } from './condition.ts';
import { SIDES } from './view.ts';

/** Does what fixes a condition, and says what was done; rejects when the board refuses. */
export async function fix({ do: action }: Remedy, view: ChainView, actions: BoardActions): Promise<string> {
  const { target } = view;
  const setup = view.session.profile?.setup;
  switch (action) {
    case 'radio.quiet':
      await actions.quiet();
      return 'egress closed, transmitter muted';
    case 'radio.reset':
      await actions.reset('all');
      return 'part and modem reset';
    case 'chain.recover':
      await actions.recover();
      return 'resets released, CLEAR bits pulsed; measure to see whether it worked';
    case 'chain.switch':
      await actions.switchTo(target);
      return `path switched to ${target}, transmitter muted`;
    case 'chain.egress':
      await actions.openEgress(true);
      return 'egress opened';
    case 'datapath.enable':
      await actions.takeBack();
      return 'no test tone, no samples of another tool';
    case 'profile.apply':
      assert(setup !== undefined, 'a condition that a setting fixes comes after the profile');
      await actions.apply(setup, levelAfter(view), target);
      return `settings of the profile written, ${setup.rate.sampleRateSps} sps`;
    default:
      assert(setup !== undefined, 'a condition that a setting fixes comes after the profile');
      return fixBySetup(action, { target, setup }, actions);
  }
}

async function fixBySetup(
  action: 'radio.level' | 'radio.frequency' | 'radio.offset' | 'radio.gain',
  { target, setup }: { readonly target: ChainView['target']; readonly setup: Setup },
  actions: BoardActions,
): Promise<string> {
  switch (action) {
    case 'radio.level':
      await actions.level(setup, target);
      return target === 'air' ? `transmitter at ${setup.tx.gainDb} dB` : 'transmitter muted';
    case 'radio.frequency':
      for (const side of SIDES) await actions.tune(side, setup[side].oscillatorHz);
      return `oscillators at ${setup.rx.oscillatorHz} Hz (rx) and ${setup.tx.oscillatorHz} Hz (tx)`;
    case 'radio.offset': {
      const rx = offsetAt(setup, 'rx', target);
      await actions.offset('rx', rx);
      await actions.offset('tx', setup.tx.offsetHz);
      return `digital oscillators at ${rx} Hz (rx) and ${setup.tx.offsetHz} Hz (tx)`;
    }
    case 'radio.gain':
      await actions.setGain('rx', setup.rx.gainDb);
      return `receiver at ${setup.rx.gainDb} dB`;
  }
}

/** Where the transmitter may radiate after an apply (M1). */
function levelAfter({ target, board }: ChainView): ChainView['target'] {
  const current = board && currentTarget(board);
  return target === 'air' && current !== 'air' ? (current ?? 'device-loopback') : target;
}
