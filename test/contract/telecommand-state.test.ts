/** The one table of the states of a telecommand, and everybody who must know all of them. */

import { describe, expect, it } from 'vitest';
import { TcEvent } from '../../contract/telecommand.ts';
import {
  hasLeft,
  isBadTcEnd,
  isFinalTcState,
  isGoodTcEnd,
  TC_STATES,
} from '../../contract/telecommand-state.ts';
import { telecommandMachine } from '../../machines/telecommand/telecommand.ts';

describe('MC-TC-038 the states of a telecommand', () => {
  it('are those of the chart, and the same of them are final', () => {
    const charted = Object.entries(telecommandMachine.states).map(([state, { type }]) => [
      state,
      type === 'final',
    ]);
    expect(new Map(charted as [string, boolean][])).toEqual(
      new Map(TC_STATES.map((state) => [state, isFinalTcState(state)])),
    );
  });

  it('are those of the interface', () => {
    expect((TcEvent.properties.state as { enum?: string[] }).enum).toEqual(
      expect.arrayContaining([...TC_STATES]),
    );
  });

  it('end well or badly, and never both', () => {
    expect(TC_STATES.filter(isGoodTcEnd)).toEqual(['VERIFIED', 'COMPLETE']);
    expect(TC_STATES.filter(isFinalTcState)).toEqual(
      TC_STATES.filter((state) => isGoodTcEnd(state) !== isBadTcEnd(state)),
    );
    expect([isFinalTcState('ECHO'), isGoodTcEnd('verified'), isBadTcEnd('')]).toEqual([false, false, false]);
  });

  it('say whether the frame has left, which every good end has', () => {
    expect(TC_STATES.filter(isGoodTcEnd).map(hasLeft)).toEqual(['yes', 'yes']);
    expect(TC_STATES.filter((state) => hasLeft(state) === 'unknown')).toEqual(['ENCODED', 'SEND_FAILED']);
  });
});
