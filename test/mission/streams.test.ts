/** What the config document states of streams: every fault is said with where it is and how to correct it. */

import { describe, expect, it } from 'vitest';
import { compile } from '../../mission/compile.ts';
import { load } from '../../mission/load.ts';
import { compiledWith } from '../simulation/mission.ts';

function compiled(streams: string) {
  return compile([{ file: 'config.yaml', text: `nats:\n  streams:\n${streams}` }]);
}

/** What is wrong with them, and where. */
function faultsOf(streams: string): readonly (readonly [at: string, message: string])[] {
  const result = compiled(streams);
  if (result.ok) return [];
  return result.faults
    .map(({ path = '', message }) => [path, message] as const)
    .filter(([path]) => path.startsWith('nats'));
}

describe('settings of streams', () => {
  it('are taken by rate, by size and by time', () => {
    const text =
      'nats:\n  streams:\n    TM_VALUES: { retention: 48 h, rate: 1.6 Mbit/s }\n    TM: { size: 4 GB }\n    RUNS: { retention: 30 d }\n    EVENTS: { retention: 7 d }\n';
    const { configuration, revision } = compiledWith([
      { file: 'config.yaml', text },
      {
        file: 'topology.yaml',
        text: 'topology: none\nenvironments:\n  bench: { identity: declared, human_orchestration: false }\ngateways: {}\ndrivers: {}\ntargets: {}\n',
      },
    ]);
    expect(load(configuration, revision).settings.streams).toEqual({
      TM_VALUES: { maxAgeMs: 48 * 3_600_000, bytesPerS: 200_000 },
      TM: { maxBytes: 4_000_000_000 },
      RUNS: { maxAgeMs: 30 * 86_400_000 },
      EVENTS: { maxAgeMs: 7 * 86_400_000 },
    });
  });

  it.each<[streams: string, message: RegExp, setting?: string]>([
    ['ALARMS: { retention: 90 d }', /alarm events has a key of its own/],
    ['NOPE: { retention: 1 d }', /no stream "NOPE" has settings/],
    ['RUNS: { size: 4 GB }', /no size of its own/],
    ['RUNS: { rate: 1 Mbit/s }', /no size of its own/],
    ['TM: { rate: 1 Mbit/s, size: 4 GB }', /two ways to say the same/],
    ['TM: { rate: 0 Mbit/s }', /a rate is above zero/, '.rate'],
    ['TM: { rate: 4 V }', /V/, '.rate'],
    ['TM: { size: 1 B }', /less than/, '.size'],
    ['TM: { size: 4 s }', /s/, '.size'],
    ['TM: { retention: 1 s }', /not between/, '.retention'],
    ['RUNS: { retention: 1 min }', /not between/, '.retention'],
    ['TM: { retention: 100000 d }', /not between/, '.retention'],
    ['TM: { retention: soon }', /soon/, '.retention'],
  ])('%s is refused where it stands', (streams, message, setting = '') => {
    const faults = faultsOf(`    ${streams}\n`);
    expect(faults).toHaveLength(1);
    expect(faults[0]![1]).toMatch(message);
    expect(faults[0]![0]).toBe(`nats.streams.${streams.split(':')[0]}${setting}`);
  });

  it('are taken at the least size', () => {
    expect(faultsOf('    TM: { size: 16777216 B }\n')).toEqual([]);
    expect(faultsOf('    TM: { size: 16777215 B }\n')).toHaveLength(1);
  });

  it('are refused all at once', () => {
    expect(faultsOf('    NOPE: {}\n    TM: { rate: 0 bit/s, retention: 1 s }\n')).toHaveLength(3);
  });
});
