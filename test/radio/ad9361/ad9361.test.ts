import { describe, expect, it } from 'vitest';
import {
  decibelText,
  parseDecibels,
  parseRange,
  parseWhole,
  rangeText,
} from '../../../radio/ad9361/attribute-text.ts';
import { echoedBandwidth, physicalBandwidth } from '../../../radio/ad9361/bandwidth.ts';
import { clockChain, parsePll, pathRatesText, sampleRateRange } from '../../../radio/ad9361/clock-chain.ts';
import { appliedRxGain, appliedTxGain, gainAfterRetune, rxGainRange } from '../../../radio/ad9361/gain.ts';
import { LO_RANGE, tunedLo } from '../../../radio/ad9361/oscillator.ts';

const value = <Value>(result: { ok: boolean; value?: Value }) => result.value;

describe('oscillators', () => {
  it('read an odd frequency back one Hz lower', () => {
    expect(value(tunedLo('rx', 437_000_001))).toBe(437_000_000);
    expect(value(tunedLo('rx', 437_000_000))).toBe(437_000_000);
  });

  it.each(['rx', 'tx'] as const)('%s reaches the ends of its range and nothing beyond', (direction) => {
    const { least, most } = LO_RANGE[direction];
    for (const hertz of [least, most]) expect(tunedLo(direction, hertz).ok).toBe(true);
    for (const hertz of [least - 1, most + 1, 2.5e9 + 0.5, Number.NaN])
      expect(tunedLo(direction, hertz).ok).toBe(false);
    expect(tunedLo(direction, 0)).toMatchObject({
      faults: [expect.stringContaining(`${least} Hz to ${most} Hz`)],
    });
  });
});

describe('gains', () => {
  it.each([
    [70e6, -1, 73],
    [1.3e9, -1, 73],
    [1.3e9 + 2, -3, 71],
    [4e9, -3, 71],
    [4e9 + 2, -10, 62],
    [6e9, -10, 62],
  ])('at %d Hz the receive gain reaches from %d to %d dB', (loHz, least, most) => {
    expect(rxGainRange(loHz)).toEqual({ least, step: 1, most });
    expect([least, most].map((gain) => value(appliedRxGain(gain, loHz)))).toEqual([least, most]);
    expect([least - 1, most + 1].map((gain) => appliedRxGain(gain, loHz).ok)).toEqual([false, false]);
  });

  it('a retune into another band keeps the index into the table, not the gain', () => {
    expect(gainAfterRetune(40, 437e6, 2.4e9)).toBe(38);
    expect(gainAfterRetune(73, 437e6, 5.8e9)).toBe(62);
    expect(gainAfterRetune(40, 2.4e9, 2.5e9)).toBe(40);
  });

  it('the attenuation has steps of a quarter dB and ends at 89.75 dB', () => {
    expect([-10, -10.3, -89.75, 0].map((gain) => value(appliedTxGain(gain)))).toEqual([
      -10, -10.25, -89.75, 0,
    ]);
    expect([1, 0.25, -90, Number.NaN].map((gain) => appliedTxGain(gain).ok)).toEqual([
      false,
      false,
      false,
      false,
    ]);
  });
});

describe('analog filters', () => {
  it('echo what was asked, clamped', () => {
    expect(echoedBandwidth('rx', 100)).toBe(200_000);
    expect([echoedBandwidth('rx', 60e6), echoedBandwidth('tx', 60e6)]).toEqual([56e6, 40e6]);
  });

  it.each([
    ['rx', 18e6, 983.04e6, 17.21e6],
    ['tx', 18e6, 983.04e6, 16.94e6],
    ['rx', 200e3, 800e6, 399e3],
    ['tx', 200e3, 800e6, 1.24e6],
  ] as const)('%s asked for %d Hz at a PLL of %d Hz is %d Hz wide', (direction, asked, pll, width) => {
    expect(Math.abs(physicalBandwidth(direction, asked, pll) / width - 1)).toBeLessThan(1e-3);
  });
});

describe('clocks', () => {
  it('30.72 Msps runs the converter at eight times, as the part does out of the box', () => {
    const chain = clockChain(30_720_000, 1);
    expect(chain.ok && pathRatesText(chain.value, 'rx')).toBe(
      'BBPLL:983040000 ADC:245760000 R2:122880000 R1:61440000 RF:30720000 RXSAMP:30720000',
    );
    expect(chain.ok && parsePll(pathRatesText(chain.value, 'tx'))).toBe(983_040_000);
  });

  it('sample rates end where converter, filter and port do', () => {
    expect(([1, 2, 4] as const).map((fir) => sampleRateRange(fir).least)).toEqual([
      2_083_333, 1_041_666, 520_833,
    ]);
    expect([2_083_332, 61_440_001, 4_000_000.5].map((rate) => clockChain(rate, 1).ok)).toEqual([
      false,
      false,
      false,
    ]);
  });

  it('every rate that can be set has clocks within the limits of the part', () => {
    for (const fir of [1, 2, 4] as const) {
      for (const governor of ['nominal', 'highest_osr'] as const) {
        const { least, most } = sampleRateRange(fir);
        for (let rate = least; rate <= most; rate = Math.round(rate * 1.013) + 1) {
          const chain = clockChain(rate, fir, governor);
          if (!chain.ok) throw new Error(chain.faults.join());
          const { pllHz, rx, tx } = chain.value;
          expect(rx.converter).toBeGreaterThan(24_999_900);
          expect(rx.converter).toBeLessThanOrEqual(640e6);
          expect(tx.converter).toBeLessThanOrEqual(320e6);
          expect(pllHz).toBeGreaterThanOrEqual(715e6);
          expect(pllHz).toBeLessThanOrEqual(1430e6);
          expect([rx.filter, tx.filter, rx.samples]).toEqual([rate * fir, rate * fir, rate]);
        }
      }
    }
  });
});

describe('texts of attributes', () => {
  it('carry the unit and are read with or without it', () => {
    expect([decibelText(63), decibelText(-0), decibelText(106, 2)]).toEqual([
      '63.000000 dB',
      '0.000000 dB',
      '106.00 dB',
    ]);
    expect(['63.000000 dB', '-10.25', ' 5 dB ', '5 dBm', '', 'x'].map(parseDecibels)).toEqual([
      63,
      -10.25,
      5,
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('are whole numbers or ranges', () => {
    expect(['12', '-3', '1.5', '1e9', '', '99999999999999999999'].map(parseWhole)).toEqual([
      12,
      -3,
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
    const range = { least: -89.75, step: 0.25, most: 0 };
    expect(parseRange(rangeText(range))).toEqual(range);
    expect(parseRange('manual fast_attack')).toBeUndefined();
  });
});
