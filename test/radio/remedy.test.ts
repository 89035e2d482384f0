/**
 * What a conditioning that writes the settings of a profile leaves behind: the level in a loopback, offsets repaired
 * before. RF Bench Service, section 4, rule 5.
 */

import { describe, expect, it } from 'vitest';
import { BoardActions } from '../../radio/board/actions.ts';
import { Modem } from '../../radio/board/modem.ts';
import { Phy } from '../../radio/board/phy.ts';
import { readBoard } from '../../radio/board/reading.ts';
import { register } from '../../radio/board/registers.ts';
import type { ChainView } from '../../radio/chain/condition.ts';
import { condition } from '../../radio/chain/conditioning.ts';
import { fix } from '../../radio/chain/remedy.ts';
import { createStub } from '../../radio/stub/stub.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { QPSK, setupFor } from './board-reading.ts';

/** A modelled board and its conditioning towards a target. */
function bench(setup = setupFor(QPSK)) {
  const board = createStub({ seed: 1, clock: new ManualClock(0) });
  const modem = new Modem(board);
  const actions = new BoardActions(board, modem);
  const session = { profile: { name: QPSK.name, setup }, epoch: 1, acquired: true, proof: undefined };
  const to = (target: ChainView['target']) =>
    condition({
      view: async () => ({ target, session, board: await readBoard(board, modem) }),
      fix: (remedy, view) => fix(remedy, view, actions),
    });
  return { board, modem, actions, setup, to };
}

describe.each(['device-loopback', 'pl-loopback'] as const)('in %s', (path) => {
  it('RB-CHAIN-012 leaves the transmitter muted when a conditioning to the air stops before the switch', async () => {
    const { board, actions, setup, to } = bench();
    await actions.switchTo(path);
    board.inject({ stuckOscillators: ['rx'] });
    expect((await to('air')).ok).toBe(false);
    expect(board.truth().target).toBe(path);
    expect(await new Phy(board).gainDb('tx')).toBeLessThanOrEqual(-80);

    board.inject({ stuckOscillators: undefined });
    expect((await to('air')).ok).toBe(true);
    expect(board.truth().target).toBe('air');
    expect(await new Phy(board).gainDb('tx')).toBeCloseTo(setup.tx.gainDb);
  });

  it('RB-CHAIN-012 conditions at once where the modem alone is not configured and the directions differ in offset', async () => {
    const plain = setupFor(QPSK);
    const { modem, actions, setup, to } = bench({ ...plain, rx: { ...plain.rx, offsetHz: 2_000 } });
    await actions.apply(setup, path);
    await modem.write(register.frameLength, 128);
    const outcome = await to(path);
    expect(outcome.ok && outcome.value.state.ready).toBe(true);
    expect(await modem.read(register.receiveOffset)).toBe(setup.tx.offsetHz);
  });
});

it.each([
  ['rx', 'alert'],
  ['tx', 'alert'],
  ['all', 'fdd'],
] as const)('RB-RAD-007 after a reset of %s a part that stood still is in state %s', async (scope, state) => {
  const { board, actions } = bench();
  await new Phy(board).setState('alert');
  await actions.reset(scope);
  expect(await new Phy(board).state()).toBe(state);
});
