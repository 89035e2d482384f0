/** A board that nobody answers for is silent behind it, and one that is silent is left as it is. */

import { describe, expect, it } from 'vitest';
import { Modem } from '../../radio/board/modem.ts';
import { Phy } from '../../radio/board/phy.ts';
import { controlBit, register } from '../../radio/board/registers.ts';
import { silence, silencedWords } from '../../radio/board/silence.ts';
import { errno, type IioAttribute } from '../../radio/iio/context.ts';
import { createStub, type StubBoard } from '../../radio/stub/stub.ts';
import { realClock } from '../../supervision/clock.ts';

const never = (): Promise<void> => new Promise(() => undefined);
const phy = (channel: string, name: string): IioAttribute => ({
  device: 'ad9361-phy',
  of: 'channel',
  channel,
  output: true,
  name,
});
const FIRST = phy('voltage0', 'hardwaregain');
const SECOND = phy('voltage1', 'hardwaregain');

interface State {
  readonly what: string;
  readonly radiates: boolean;
  readonly first?: number;
  readonly second?: number;
  readonly open?: boolean;
  readonly tone?: boolean;
  /** Another tool has the sample buffer of the transmitter open. */
  readonly samples?: boolean;
  readonly poweredDown?: boolean;
  readonly deadLogic?: boolean;
}

const states: readonly State[] = [
  { what: 'cold', radiates: false },
  { what: 'open, at a level that is heard', radiates: true, open: true },
  { what: 'open and muted', radiates: false, open: true, first: -89.75, second: -89.75 },
  {
    what: 'open, the second transmitter alone heard',
    radiates: true,
    open: true,
    first: -89.75,
    second: -10,
  },
  { what: 'closed with a tone', radiates: true, tone: true },
  { what: 'closed with samples of another tool', radiates: true, samples: true },
  {
    what: 'muted with samples of another tool',
    radiates: false,
    samples: true,
    first: -89.75,
    second: -89.75,
  },
  { what: 'open with its oscillator powered down', radiates: false, open: true, poweredDown: true },
  { what: 'at a level that is heard, and its logic answers nothing', radiates: true, deadLogic: true },
];

async function boardIn({
  first,
  second,
  open,
  tone,
  samples,
  poweredDown,
  deadLogic,
}: State): Promise<StubBoard> {
  const board = createStub({ seed: 1, clock: realClock });
  if (first !== undefined) await board.write(FIRST, String(first));
  if (second !== undefined) await board.write(SECOND, String(second));
  if (open === true) await new Modem(board).change(register.control, controlBit.egress, controlBit.egress);
  if (tone === true)
    await board.write(
      { device: 'cf-ad9361-dds-core-lpc', of: 'channel', channel: 'altvoltage0', output: true, name: 'raw' },
      '1',
    );
  if (samples === true) await board.open('cf-ad9361-dds-core-lpc', { samples: 16, mask: 3 });
  if (poweredDown === true) await board.write(phy('altvoltage1', 'powerdown'), '1');
  if (deadLogic === true) board.inject({ attributes: { 'modem-ctl debug direct_reg_access': errno.EIO } });
  return board;
}

describe('silence.S1 what radiates', () => {
  it.each(states)('RB-GEN-001 $what: radiates $radiates', async (state) => {
    const board = await boardIn(state);
    const before = await board.read(FIRST);
    const silenced = await silence(board, new Modem(board), never);
    const look = new Phy(board);
    if (!state.radiates) {
      expect(silenced).toBeUndefined();
      // silence.S2
      expect(await board.read(FIRST)).toBe(before);
      return;
    }
    expect(silenced).toMatchObject({ trouble: undefined });
    expect(await look.gainDb('tx')).toBeLessThanOrEqual(-80);
    expect(await look.secondGainDb()).toBeLessThanOrEqual(-80);
    expect(board.truth().transmitting).toBe(false);
    await board.close();
  });

  it('silence.S3 one that cannot be muted is reported as such', async () => {
    const board = await boardIn({ what: '', radiates: true, open: true });
    const write = board.write.bind(board);
    board.write = async (at, value) => {
      if (at.name !== 'hardwaregain') await write(at, value);
    };
    const silenced = await silence(board, new Modem(board), never);
    expect(silenced?.trouble).toContain('it reads -10 dB and -10 dB');
    expect(silencedWords(silenced!, 'found')).toContain('NOT KNOWN TO BE MUTED');
  });
});
