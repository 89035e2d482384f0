import { describe, expect, it } from 'vitest';
import { MODULATIONS } from '../../../contract/bench/profile.ts';
import { statusBit } from '../../../radio/board/registers.ts';
import type { StubBoard } from '../../../radio/stub/stub.ts';
import { getRegister, phy, rig, setRegister, tune, tuned } from './rig.ts';

function locks(board: StubBoard): string {
  const { timing, carrier, frameSync } = board.truth();
  return [timing && 'timing', carrier && 'carrier', frameSync && 'frames'].filter(Boolean).join(' ');
}
const ALL = 'timing carrier frames';

describe('locks', () => {
  it('come one after the other, in symbols from the opening of egress', async () => {
    const { board, clock } = rig();
    await tune(board);
    expect([board.truth().transmitting, locks(board)]).toEqual([false, '']);
    await setRegister(board, 'control', 4);
    expect(await getRegister(board, 'status')).toBe(statusBit.transmitting);
    clock.advance(1);
    expect(locks(board)).toBe('timing');
    clock.advance(1);
    expect(locks(board)).toBe(ALL);
    expect(await getRegister(board, 'status')).toBe(15);
  });

  it('take as many symbols at a lower rate, and so longer', async () => {
    const { board, clock } = rig();
    await tune(board, { sampleRate: 2_112_000, interpolation: 55 });
    await setRegister(board, 'control', 4);
    clock.advance(207);
    expect(locks(board)).toBe('timing');
    clock.advance(2);
    expect(locks(board)).toBe(ALL);
  });

  it.each([
    ['bpsk', 2],
    ['qpsk', 5],
    ['8psk', 11],
  ] as const)('%s holds the carrier above an Es/N0 of %d dB', async (modulation, leastDb) => {
    const { board, clock } = await tuned({ modulation });
    for (let attenuation = 30; attenuation < 60; attenuation += 1) {
      await phy(board, 'voltage0', true, 'hardwaregain', String(-attenuation));
      clock.advance(3);
      const { carrier, timing, esN0Db } = board.truth();
      expect([carrier, timing], `${esN0Db} dB`).toEqual([esN0Db > leastDb, esN0Db > 0]);
    }
  });

  it.each([
    ['bpsk', 19_998, 20_002],
    ['qpsk', 19_998, 20_002],
    ['8psk', 4998, 5002],
  ] as const)('%s finds a carrier that is %d Hz off and none at %d Hz', async (modulation, near, far) => {
    const { board, clock } = await tuned({ modulation });
    await phy(board, 'altvoltage0', true, 'frequency', String(2_400_000_000 - near));
    clock.advance(3);
    expect([locks(board), board.truth().frequencyOffsetHz]).toEqual([ALL, near]);
    await phy(board, 'altvoltage0', true, 'frequency', String(2_400_000_000 - far));
    clock.advance(3);
    expect(locks(board)).toBe('timing');
  });

  it('a digital offset makes up for an analog one, and counts inside a loopback too', async () => {
    const { board, clock } = await tuned();
    await phy(board, 'altvoltage0', true, 'frequency', '2400100000');
    clock.advance(3);
    expect(locks(board)).toBe('timing');
    await setRegister(board, 'receiveOffset', -100_000);
    clock.advance(3);
    expect([locks(board), board.truth().frequencyOffsetHz]).toEqual([ALL, 0]);
    await setRegister(board, 'loopback', 1);
    clock.advance(3);
    expect([locks(board), board.truth().frequencyOffsetHz]).toEqual(['timing', 100_000]);
  });

  it.each([
    ['the modulator in reset', (board: StubBoard) => setRegister(board, 'control', 4 | 1)],
    ['the demodulator in reset', (board: StubBoard) => setRegister(board, 'control', 4 | 2)],
    ['egress closed', (board: StubBoard) => setRegister(board, 'control', 0)],
    ['CLEAR held', (board: StubBoard) => setRegister(board, 'clear', 1)],
    ['an interpolation of 0', (board: StubBoard) => setRegister(board, 'interpolation', 0)],
    [
      'the transmit oscillator powered down',
      (board: StubBoard) => phy(board, 'altvoltage1', true, 'powerdown', '1'),
    ],
    [
      'the part out of fdd',
      (board: StubBoard) => board.write({ device: 'ad9361-phy', of: 'device', name: 'ensm_mode' }, 'alert'),
    ],
    [
      'a clock that stands still',
      async (board: StubBoard) => board.inject({ stoppedClocks: ['rx_sampl_clk'] }),
    ],
    [
      'the loopback of the converter core',
      (board: StubBoard) => board.write({ device: 'ad9361-phy', of: 'debug', name: 'loopback' }, '2'),
    ],
    [
      'a test tone',
      (board: StubBoard) =>
        board.write(
          {
            device: 'cf-ad9361-dds-core-lpc',
            of: 'channel',
            channel: 'altvoltage0',
            output: true,
            name: 'raw',
          },
          '1',
        ),
    ],
  ] as const)('there is none with %s', async (_, spoil) => {
    const { board, clock } = await tuned();
    expect(locks(board)).toBe(ALL);
    await spoil(board);
    clock.advance(100);
    expect(locks(board)).toBe('');
  });

  it('a modulator that keeps old settings is followed no further than they agree', async () => {
    const { board, clock } = await tuned();
    board.inject({ frozenModulator: true });
    const locksWith = async (change: () => Promise<void>, back: () => Promise<void>) => {
      await change();
      clock.advance(100);
      const held = locks(board);
      await back();
      clock.advance(100);
      expect(locks(board)).toBe(ALL);
      return held;
    };
    const set = (name: 'interpolation' | 'modulation' | 'framing' | 'syncWord', value: number) => () =>
      setRegister(board, name, value);
    expect(await locksWith(set('interpolation', 2), set('interpolation', 1))).toBe('');
    expect(await locksWith(set('modulation', 0), set('modulation', 2))).toBe('timing');
    expect(await locksWith(set('framing', 2), set('framing', 0))).toBe('timing carrier');
    expect(await locksWith(set('syncWord', 5), set('syncWord', 0x1acf_fc1d))).toBe('timing carrier');
  });

  it('a modulation that does not exist gives no carrier, a frame that does not divide a block no frames', async () => {
    const { board, clock } = await tuned();
    await setRegister(board, 'modulation', MODULATIONS.length);
    clock.advance(100);
    expect(locks(board)).toBe('timing');
    await setRegister(board, 'modulation', 2);
    await setRegister(board, 'framing', 1);
    await setRegister(board, 'frameLength', 255);
    clock.advance(100);
    expect(locks(board)).toBe('timing carrier');
  });

  it('a receiver that is stuck comes back when it is cleared, not before', async () => {
    const { board, clock } = await tuned();
    board.inject({ stuckReceiver: true });
    clock.advance(1000);
    expect(locks(board)).toBe('');
    await setRegister(board, 'clear', 1);
    expect(await getRegister(board, 'clear')).toBe(1);
    await setRegister(board, 'clear', 0);
    clock.advance(3);
    expect(locks(board)).toBe(ALL);
  });

  it('a change of level alone does not make the demodulator search again, a retune does', async () => {
    const { board } = await tuned();
    await phy(board, 'voltage0', false, 'hardwaregain', '35');
    expect(locks(board)).toBe(ALL);
    await phy(board, 'altvoltage0', true, 'frequency', '2400000100');
    expect(locks(board)).toBe('');
  });

  it('an oscillator that is stuck reads back where it is', async () => {
    const { board, clock } = await tuned();
    board.inject({ stuckOscillators: ['rx'] });
    for (const channel of ['altvoltage0', 'altvoltage1'])
      await phy(board, channel, true, 'frequency', '437000000');
    clock.advance(100);
    expect([locks(board), board.truth().frequencyOffsetHz]).toEqual(['', 437_000_000 - 2_400_000_000]);
  });
});
