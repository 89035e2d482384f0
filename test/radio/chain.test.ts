/** The conditions of the chain, each broken alone. RF Bench Service, section 2 and rule 5 of section 4. */

import { describe, expect, it } from 'vitest';
import { CHAIN_TARGETS, type ChainTarget } from '../../contract/bench/chain.ts';
import { known, mapped, type Observed, unreadable } from '../../radio/board/observed.ts';
import type { BoardReading } from '../../radio/board/reading.ts';
import type { RegisterName } from '../../radio/board/registers.ts';
import type { ChainSession, ChainView } from '../../radio/chain/condition.ts';
import { chainState, firstUnmet } from '../../radio/chain/state.ts';
import { conditioned, QPSK, setupFor } from './board-reading.ts';

const setup = setupFor(QPSK);
const session: ChainSession = {
  profile: { name: QPSK.name, setup },
  epoch: 7,
  acquired: true,
  proof: { target: 'air', verdict: 'BytePerfect' },
};
const view = (target: ChainTarget, board: Partial<BoardReading> = {}): ChainView => ({
  target,
  session,
  board: { ...conditioned(setup, target), ...board },
});
const withRegister = (target: ChainTarget, name: RegisterName, value: Observed<number>): ChainView =>
  view(target, { registers: { ...conditioned(setup, target).registers, [name]: value } });
const withSide = (target: ChainTarget, side: 'rx' | 'tx', change: object): ChainView =>
  view(target, { [side]: { ...conditioned(setup, target)[side], ...change } });
const withClock = (target: ChainTarget, name: string, change: object): ChainView => {
  const clocks = mapped(conditioned(setup, target).clocks, (all) =>
    all.map((clock) => (clock.name === name ? { ...clock, ...change } : clock)),
  );
  return view(target, { clocks });
};
const ALL = CHAIN_TARGETS;
const PART: readonly ChainTarget[] = ['air', 'device-loopback'];
const AIR: readonly ChainTarget[] = ['air'];

/** A condition, how it is broken, and for which targets it matters. */
const BREAKS: readonly [
  key: string,
  breaking: (target: ChainTarget) => ChainView,
  targets: readonly ChainTarget[],
][] = [
  ['session.profile', (to) => ({ ...view(to), session: { ...session, profile: undefined } }), ALL],
  ['board.phy', (to) => view(to, { phy: unreadable('no device') }), ALL],
  ['board.datapath', (to) => ({ ...view(to), session: { ...session, acquired: false } }), ALL],
  ['pl.driver', (to) => view(to, { modemVersion: unreadable('no answer') }), ALL],
  ['clk.enabled', (to) => view(to, { clocks: known([]) }), ALL],
  ['clk.enabled', (to) => withClock(to, 'adc_clk', { enable: 0 }), ALL],
  ['clk.enabled', (to) => withClock(to, 'tx_sampl_clk', { prepare: 0 }), ALL],
  ['ensm.fdd', (to) => view(to, { state: known('alert') }), ALL],
  ['rate.sps', (to) => withSide(to, 'tx', { sampleRate: known(2_000_000) }), ALL],
  ['rate.sps', (to) => withRegister(to, 'sampleRate', known(1)), ALL],
  ['fir', (to) => view(to, { filter: known(true) }), PART],
  ['bandwidth', (to) => withSide(to, 'rx', { bandwidthHz: known(200_000) }), AIR],
  ['lo.rx', (to) => withSide(to, 'rx', { oscillatorHz: known(2_400_000_100) }), AIR],
  ['lo.tx', (to) => withSide(to, 'tx', { poweredDown: known(true) }), AIR],
  ['nco.rx', (to) => withRegister(to, 'receiveOffset', known(3)), ALL],
  ['nco.tx', (to) => withRegister(to, 'transmitOffset', known(3)), ALL],
  ['gain.mode', (to) => view(to, { gainMode: known('slow_attack') }), AIR],
  ['gain.rx', (to) => withSide(to, 'rx', { gainDb: known(39) }), AIR],
  ['pl.reset', (to) => withRegister(to, 'clear', known(1)), ALL],
  ['pl.reset', (to) => withRegister(to, 'control', known(4 | 2)), ALL],
  ['pl.config', (to) => withRegister(to, 'modulation', known(0)), ALL],
  ['dma.tone', (to) => view(to, { tone: known(true) }), PART],
  ['switch', (to) => withRegister(to, 'loopback', known(to === 'pl-loopback' ? 0 : 1)), ALL],
  ['tx.level', (to) => withSide(to, 'tx', { gainDb: known(-30) }), ALL],
  ['tx.egress', (to) => withRegister(to, 'control', known(0)), ALL],
];

/** What disturbs when it is changed under an open egress: on air these are preceded by quiet. */
const behindQuiet = (key: string): boolean =>
  /^(clk|ensm|rate|fir|bandwidth|lo|nco|gain|pl\.reset|pl\.config|switch)/.test(key);

describe('the chain', () => {
  it.each(ALL)('RB-CHAIN-003 RB-CHAIN-006 to %s is ready when everything is as asked for', (target) => {
    expect(chainState(view(target))).toMatchObject({
      target,
      current_target: target,
      ready: true,
      next: null,
      stage: 'ready',
    });
  });

  it.each(BREAKS)(
    'RB-CHAIN-006 RB-CHAIN-007 names %s as the first that is not met',
    (key, breaking, targets) => {
      for (const target of ALL) {
        const state = chainState(breaking(target));
        const matters = targets.includes(target);
        expect([key, target, state.ready]).toEqual([key, target, !matters]);
        if (!matters) continue;
        const first = target === 'air' && behindQuiet(key) ? 'tx.quiet' : key;
        expect(state.next?.condition).toBe(first);
        const row = state.conditions.find((condition) => condition.key === key);
        expect(row?.verdict).not.toBe('met');
        expect(row?.fix).not.toBe('');
        expect(row?.breaks).not.toBe('');
      }
    },
  );

  it('RB-CHAIN-012 asks for what disturbs only when the transmitter is quiet, and for level and egress behind the switch', () => {
    const board = conditioned(setup, 'air');
    const retune = { ...board.rx, oscillatorHz: known(1) };
    const next = (gainDb: number, egress: number): string | undefined =>
      firstUnmet(
        view('air', {
          rx: retune,
          tx: { ...board.tx, gainDb: known(gainDb) },
          registers: { ...board.registers, control: known(egress) },
        }),
      )?.key;
    expect([next(-10, 4), next(-10, 0), next(-89.75, 4)]).toEqual(['tx.quiet', 'lo.rx', 'lo.rx']);
    const keys = chainState(view('air')).conditions.map(({ key }) => key);
    const at = keys.indexOf('switch');
    expect(keys.slice(at + 1, at + 3)).toEqual(['tx.level', 'tx.egress']);
    for (const key of ['rate.sps', 'lo.tx', 'nco.rx', 'gain.rx', 'pl.config', 'dma.tone'])
      expect(keys.indexOf(key)).toBeLessThan(at);
  });

  it('RB-CHAIN-008 is blocked by what cannot be read', () => {
    const state = chainState(view('air', { state: unreadable('ad9361-phy ensm_mode: I/O error') }));
    expect(state.ready).toBe(false);
    expect(state.conditions.find(({ key }) => key === 'ensm.fdd')).toMatchObject({
      verdict: 'unknown',
      observed: 'ad9361-phy ensm_mode: I/O error',
    });
  });

  it('RB-CHAIN-004 has no current target when a switch cannot be read, or stands elsewhere', () => {
    const current = (board: Partial<BoardReading>): unknown => chainState(view('air', board)).current_target;
    expect(current({ deviceLoopback: unreadable('EIO') })).toBeNull();
    expect(current({ deviceLoopback: known(2) })).toBeNull();
    expect(chainState(withRegister('air', 'loopback', unreadable('EIO'))).current_target).toBeNull();
    expect(chainState({ ...view('air'), board: undefined }).current_target).toBeNull();
  });

  it('RB-CHAIN-005 reaches the connector in no loopback, neither asked for nor switched on', () => {
    expect(ALL.map((target) => chainState(view(target)).reaches_the_connector)).toEqual([true, false, false]);
    const looped = { ...view('air'), board: conditioned(setup, 'device-loopback') };
    expect(chainState(looped).reaches_the_connector).toBe(false);
    const asked = { ...view('pl-loopback'), board: conditioned(setup, 'air') };
    expect(chainState(asked).reaches_the_connector).toBe(false);
  });

  it('RB-CHAIN-017 shows lock and proof, and waits for neither', () => {
    const state = chainState({
      ...withRegister('air', 'status', known(0)),
      session: { ...session, proof: undefined },
    });
    expect(state.ready).toBe(true);
    const unmet = state.conditions.filter(({ verdict }) => verdict !== 'met').map(({ key }) => key);
    expect(unmet).toEqual(['lock.timing', 'lock.carrier', 'sync.frame', 'proof.loopback']);
  });

  it('RB-CHAIN-017 takes no moving frame counter as proof, and no measurement of another target', () => {
    const proofOf = (target: ChainTarget, value: ChainView): string | undefined =>
      chainState({ ...value, target }).conditions.find(({ key }) => key === 'proof.loopback')?.verdict;
    expect(proofOf('air', withRegister('air', 'frameCount', known(1000)))).toBe('met');
    expect(proofOf('pl-loopback', view('pl-loopback'))).toBe('unmet');
    const degraded = { ...session, proof: { target: 'air', verdict: 'Degraded' } } as const;
    expect(proofOf('air', { ...view('air'), session: degraded })).toBe('unmet');
  });
});
