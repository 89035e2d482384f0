/** What each step of conditioning does to the board, and its words. */

import { assert } from '../../contract/assert.ts';
import type { BoardActions } from '../board/actions.ts';
import type { Setup } from '../board/setup.ts';
import type { ChainView, Remedy } from './condition.ts';
import { SIDES } from './view.ts';

/** Does what mends a condition, and says what was done; rejects when the board refuses. */
export async function mend(
  { do: action }: Remedy,
  { target, session }: ChainView,
  actions: BoardActions,
): Promise<string> {
  const setup = session.profile?.setup;
  switch (action) {
    case 'radio.quiet':
      await actions.quiet();
      return 'egress closed, transmitter muted';
    case 'radio.reset':
      await actions.reset('all');
      return 'part and modem reset';
    case 'chain.recover':
      await actions.recover();
      return 'resets released, CLEAR bits pulsed; that it worked is for a measurement to say';
    case 'chain.switch':
      await actions.switchTo(target);
      return `path switched to ${target}, transmitter muted`;
    case 'chain.egress':
      await actions.openEgress(true);
      return 'egress opened';
    case 'datapath.enable':
      await actions.silenceTones();
      return 'test tones silenced';
    default:
      assert(setup !== undefined, 'a condition that a setting mends is behind the profile');
      return mendBySetup(action, { target, setup }, actions);
  }
}

async function mendBySetup(
  action: 'profile.apply' | 'radio.level' | 'radio.frequency' | 'radio.offset' | 'radio.gain',
  { target, setup }: { readonly target: ChainView['target']; readonly setup: Setup },
  actions: BoardActions,
): Promise<string> {
  switch (action) {
    case 'profile.apply':
      await actions.apply(setup, target);
      return `settings of the profile written, ${setup.rate.sampleRateSps} sps`;
    case 'radio.level':
      await actions.level(setup, target);
      return target === 'air' ? `transmitter at ${setup.tx.gainDb} dB` : 'transmitter muted';
    case 'radio.frequency':
      for (const side of SIDES) await actions.tune(side, setup[side].oscillatorHz);
      return `oscillators at ${setup.rx.oscillatorHz} Hz (rx) and ${setup.tx.oscillatorHz} Hz (tx)`;
    case 'radio.offset': {
      const rx = target === 'air' ? setup.rx.offsetHz : setup.tx.offsetHz;
      await actions.offset('rx', rx);
      await actions.offset('tx', setup.tx.offsetHz);
      return `digital oscillators at ${rx} Hz (rx) and ${setup.tx.offsetHz} Hz (tx)`;
    }
    case 'radio.gain':
      await actions.setGain('rx', setup.rx.gainDb);
      return `receiver at ${setup.rx.gainDb} dB`;
  }
}
