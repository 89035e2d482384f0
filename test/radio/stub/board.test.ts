import { describe, expect, it } from 'vitest';
import { physicalBandwidth } from '../../../radio/ad9361/bandwidth.ts';
import { Modem } from '../../../radio/board/modem.ts';
import { currentTarget, readBoard } from '../../../radio/board/reading.ts';
import { rig, tuned } from './rig.ts';

describe('a board read over the modelled one', () => {
  it('has everything that is looked for', async () => {
    const { board } = rig();
    const { clocks, registers, rx, tx, ...others } = await readBoard(board, new Modem(board));
    const all = { ...others, ...registers, clocks };
    for (const [name, observed] of Object.entries(all)) expect(observed, name).not.toHaveProperty('error');
    for (const [name, observed] of [...Object.entries(rx), ...Object.entries(tx)]) {
      expect(observed, name).toHaveProperty('value');
    }
  });

  it('is read as it was set, and its filter is as wide as the link takes it', async () => {
    const { board } = await tuned();
    const reading = await readBoard(board, new Modem(board));
    expect(reading).toMatchObject({
      rx: { oscillatorHz: { value: 2_400_000_000 }, gainDb: { value: 40 }, sampleRate: { value: 4_000_000 } },
      tx: { gainDb: { value: -10 }, poweredDown: { value: false } },
      gainMode: { value: 'manual' },
      state: { value: 'fdd' },
      modemVersion: { value: '1.0' },
      registers: { status: { value: 15 }, modulation: { value: 2 } },
    });
    expect(currentTarget(reading)).toBe('air');
    const { clockHz, tx } = reading;
    if ('error' in clockHz || 'error' in tx.bandwidthHz) throw new Error('not readable');
    expect(physicalBandwidth('tx', tx.bandwidthHz.value, clockHz.value)).toBe(board.truth().bandwidthHz);
  });
});
