/** Conditioning of a modelled board from cold, and what stands in its way. RF Bench Service, section 4, rule 5. */

import { describe, expect, it } from 'vitest';
import { CHAIN_TARGETS, type ChainTarget } from '../../contract/bench/chain.ts';
import { BoardActions } from '../../radio/board/actions.ts';
import { Modem } from '../../radio/board/modem.ts';
import { readBoard } from '../../radio/board/reading.ts';
import type { ChainView } from '../../radio/chain/condition.ts';
import { condition } from '../../radio/chain/conditioning.ts';
import { fix } from '../../radio/chain/remedy.ts';
import type { IioAttribute, IioContext } from '../../radio/iio/context.ts';
import { createStub, type StubBoard } from '../../radio/stub/stub.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { QPSK, setupFor } from './board-reading.ts';

const setup = setupFor(QPSK);

/** Everything that is written to a board, in words. */
function watched(board: IioContext, written: string[]): IioContext {
  const write = async (at: IioAttribute, value: string): Promise<void> => {
    written.push(`${at.device} ${at.of === 'channel' ? at.channel : at.of} ${at.name}=${value}`);
    await board.write(at, value);
  };
  return new Proxy(board, {
    get: (_, name) => {
      if (name === 'write') return write;
      const member = Reflect.get(board, name) as unknown;
      return typeof member === 'function' ? (member as () => unknown).bind(board) : member;
    },
  });
}

function bench(): {
  board: StubBoard;
  written: string[];
  to(target: ChainTarget): ReturnType<typeof condition>;
} {
  const board = createStub({ seed: 1, clock: new ManualClock(0) });
  const written: string[] = [];
  const context = watched(board, written);
  const modem = new Modem(context);
  const actions = new BoardActions(context, modem);
  let acquired = false;
  const to = (target: ChainTarget): ReturnType<typeof condition> => {
    const view = async (): Promise<ChainView> => ({
      target,
      session: { profile: { name: QPSK.name, setup }, epoch: 1, acquired, proof: undefined },
      board: await readBoard(context, modem),
    });
    return condition({
      view,
      fix: async (remedy, seen) => {
        if (remedy.do === 'datapath.enable') acquired = true;
        return fix(remedy, seen, actions);
      },
    });
  };
  return { board, written, to };
}

const isSwitch = (line: string): boolean => /loopback=1$|direct_reg_access=0xc 0x1$/.test(line);
const isEgress = (line: string): boolean => /direct_reg_access=0x8 0x4$/.test(line);

describe('conditioning a cold board', () => {
  it.each(CHAIN_TARGETS)(
    'RB-CHAIN-009 RB-CHAIN-011 to %s makes it ready, with each step reported',
    async (target) => {
      const outcome = await bench().to(target);
      if (!outcome.ok) throw new Error(outcome.faults[0]?.reason);
      const { steps, detail, state } = outcome.value;
      expect(state).toMatchObject({ ready: true, next: null, target, current_target: target });
      expect(state.reaches_the_connector).toBe(target === 'air');
      expect(detail).toHaveLength(steps.length);
      expect(steps.length).toBeGreaterThan(2);
      expect(detail).not.toContain('');
    },
  );

  it.each(['device-loopback', 'pl-loopback'] as const)(
    'RB-CHAIN-012 configures the destination before it switches to %s, and opens the egress last',
    async (target) => {
      const { written, to } = bench();
      expect((await to(target)).ok).toBe(true);
      const at = written.findIndex(isSwitch);
      expect(at).toBeGreaterThan(0);
      const opened = written.findIndex(isEgress);
      expect(opened).toBeGreaterThan(at);
      const configured =
        /sampling_frequency|rf_bandwidth|altvoltage\d frequency|direct_reg_access=0x(14|18|24|34|38) /;
      expect(written.slice(at).filter((line) => configured.test(line))).toEqual([]);
    },
  );

  it('RB-CHAIN-012 does only what is missing: nothing at all the second time, the way back to the air in few steps', async () => {
    const { written, to } = bench();
    await to('pl-loopback');
    written.length = 0;
    const again = await to('pl-loopback');
    expect(again.ok && again.value.steps).toEqual([]);
    expect(written.filter((line) => !/direct_reg_access=0x[0-9a-f]+$/.test(line))).toEqual([]);
    const air = await to('air');
    expect(air.ok && air.value.steps).toContain('switch');
    expect(air.ok && air.value.steps).not.toContain('pl.config');
    expect(air.ok && air.value.steps.at(-1)).toBe('tx.egress');
  });

  it('RB-CHAIN-008 stops where something cannot be read, and does nothing behind it', async () => {
    const { board, written, to } = bench();
    board.lose('the cable is out');
    await expect(to('air')).resolves.toMatchObject({ ok: false });
    expect(written.filter((line) => line.includes('frequency='))).toEqual([]);
  });
});
