/** A compiled configuration to a mission: indexes, calibrations, conditions, and nothing that can change. */

import { describe, expect, it } from 'vitest';
import { Defect } from '../../contract/assert.ts';
import { load } from '../../mission/load.ts';
import { compiled, demoDocuments, loaded, loadedPlatform } from './documents.ts';

const demo = loaded(demoDocuments());
const cubesat = demo.platforms.get('cubesat-6u@1.0.0')!;

/** Everything reachable in a value that is not frozen, but for typed arrays and maps. */
function unfrozen(value: unknown, path = ''): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const below = value instanceof Map ? [...value.entries()] : Object.entries(value);
  const found = below.flatMap(([key, each]) => unfrozen(each, `${path}.${key}`));
  return Object.isFrozen(value) || value instanceof Map || value instanceof Set ? found : [path, ...found];
}

describe('a mission', () => {
  it('carries the revision, and every target with its platform', () => {
    expect(demo.revision).toBe(compiled(demoDocuments()).revision);
    expect([...demo.targets.values()].map(({ name, platform }) => [name, platform?.id])).toEqual([
      ['sat1', 'cubesat-6u@1.0.0'],
      ['sat2', 'cubesat-3u@1.0.0'],
      ['noaa20', 'jpss-geolocation@1.0.0'],
    ]);
  });

  it('load.M1 is frozen', () => {
    const { settings, environments, gateways, drivers } = demo;
    const telecommands = [...cubesat.components.values()].flatMap((component) => [
      ...component.telecommands.values(),
    ]);
    const parts = { settings, environments, gateways, drivers, measures: cubesat.measures };
    expect(unfrozen(parts)).toEqual(['']);
    for (const part of [
      demo,
      cubesat,
      ...demo.targets.values(),
      ...cubesat.components.values(),
      ...telecommands,
    ]) {
      expect(Object.isFrozen(part)).toBe(true);
    }
  });

  it('a configuration of another form is a defect', () => {
    const { configuration } = compiled(demoDocuments());
    expect(() => load({ ...configuration, format: 2 as 1 }, 'x')).toThrow(Defect);
  });

  it('its environments are in the order of the topology, and the last of a target is its default', () => {
    expect([...demo.environments.keys()]).toEqual(['bench', 'rehearsal', 'in_orbit']);
    expect(demo.environments.get('in_orbit')).toMatchObject({ kind: 'in_orbit', humanOrchestration: true });
    expect(demo.targets.get('sat1')?.environments.at(-1)).toBe('rehearsal');
  });

  it('its gateways say what they are', () => {
    expect(demo.gateways.get('sim-1')).toMatchObject({
      kind: 'simulated',
      tags: ['uhf'],
      settings: { model: 'cubesat-6u' },
    });
    expect(demo.gateways.get('replay-1')).toMatchObject({
      kind: 'recording',
      settings: { file: 'recordings/noaa20-geolocation.ccsds', rate: 1, loop: true },
    });
  });
});

describe('a platform', () => {
  it('mission/platform.L2 numbers its measures in the order of their keys, segment by segment', () => {
    const platform = loadedPlatform({
      components: {
        b: { instances: ['2', '10'], measures: { z: { type: 'u8' }, a: { type: 'u8' } } },
        'b-c': { measures: { a: { type: 'u8' } } },
        a: { measures: { z: { type: 'u8' } } },
      },
    });
    const keys = platform.measures.map(({ key }) => key);
    expect(keys).toEqual(['a.z', 'b[10].a', 'b[10].z', 'b[2].a', 'b[2].z', 'b-c.a']);
    for (const [ordinal, key] of keys.entries()) expect(platform.ordinal(key)).toBe(ordinal);
    expect(platform.ordinal('b.a')).toBeUndefined();
  });

  it('batch.B2 has a digest that names its content', () => {
    const measures = { m: { type: 'u8' } };
    const one = loadedPlatform({ components: { a: { measures } } });
    expect(loadedPlatform({ components: { a: { measures } } }).digest).toBe(one.digest);
    expect(loadedPlatform({ components: { a: { measures: { n: { type: 'u8' } } } } }).digest).not.toBe(
      one.digest,
    );
  });

  it('calibrates: polynomials of any degree, tables, and nothing outside what they cover', () => {
    const measure = (calibration: object): ((raw: number) => number) =>
      loadedPlatform({ components: { a: { measures: { m: { type: 'f64', raw: 'i16', calibration } } } } })
        .measures[0]!.definition.calibrate!;
    expect(measure({ polynomial: [7] })(3)).toBe(7);
    expect(measure({ polynomial: [1, 0.5] })(4)).toBe(3);
    expect(measure({ polynomial: [1, -2, 3, 4] })(2)).toBe(1 - 4 + 12 + 32);
    const covered = measure({ polynomial: [0, 1], covers: [-5, 5] });
    expect([-6, -5, 5, 6, Number.NaN].map(covered)).toEqual([Number.NaN, -5, 5, Number.NaN, Number.NaN]);
    const table = measure({
      points: [
        [-2000, -2],
        [0, 0],
        [2000, 2.1],
        [4000, 5],
      ],
    });
    expect([-2001, -2000, -1000, 0, 1000, 2000, 3000, 4000, 4001].map(table)).toEqual([
      Number.NaN,
      -2,
      -1,
      0,
      1.05,
      2.1,
      3.55,
      5,
      Number.NaN,
    ]);
    expect(table(Number.NaN)).toBeNaN();
  });

  it('has its named alarms, with how far back they look and what they run', () => {
    const [undervoltage, ...others] = cubesat.alarms;
    expect(others).toEqual([]);
    expect(undervoltage).toMatchObject({
      component: 'battery',
      instances: ['1', '2'],
      name: 'undervoltage',
      severity: 'critical',
      temporal: true,
      spanMs: 10_000,
      onRaise: 'shed_load',
    });
    const second = undervoltage!.when.open({ instance: '2' });
    expect(second.reads).toEqual([cubesat.ordinal('battery[2].voltage')]);
    const pure = loadedPlatform({
      components: {
        a: { measures: { m: { type: 'u8' } }, alarms: { high: { when: 'm > 1', severity: 'warning' } } },
      },
    });
    expect(pure.alarms).toMatchObject([{ instances: [], temporal: false, spanMs: 0, onRaise: undefined }]);
  });

  it('has the conditions of its telecommands, and what they wait for', () => {
    const reboot = cubesat.components.get('obc')!.telecommands.get('reboot')!;
    expect(reboot).toMatchObject({ hazardous: true, changesState: true, path: 'obc.reboot' });
    expect(reboot.requires.map(({ that, maxAgeMs }) => [that.source, maxAgeMs])).toEqual([
      ['obc.mode == SAFE', 60_000],
    ]);
    expect(reboot.verify).toMatchObject({ reports: 'completion', withinMs: 120_000 });
    const truth = reboot.requires[0]!.that.open({});
    truth.feed(cubesat.ordinal('obc.mode')!, 1, 0);
    expect(truth.truth(0)).toBe(true);
    truth.feed(cubesat.ordinal('obc.mode')!, 2, 1);
    expect(truth.truth(1)).toBe(false);
    expect(cubesat.components.get('camera')!.telecommands.get('ping')!.verify).toBeUndefined();
  });

  it('binds the own instance of a condition, and the arguments', () => {
    const { verify } = cubesat.components.get('battery')!.telecommands.get('set_heater')!;
    const truth = verify!.expect!.open({ names: { on_below: 5 }, instance: '2' });
    const ordinal = cubesat.ordinal('battery[2].heater_on')!;
    expect(truth.reads).toEqual([ordinal]);
    truth.feed(ordinal, 5.009, 0);
    expect(truth.truth(0)).toBe(true);
    truth.feed(ordinal, 5.02, 1);
    expect(truth.truth(1)).toBe(false);
  });
});

describe('the derived measures of a platform', () => {
  const volts = { type: 'f64', unit: 'V' };
  const measures = {
    last: { ...volts, derived: 'a.middle + second' },
    second: { ...volts, derived: 'volts * 2' },
    middle: { ...volts, derived: 'avg(second, 30 s)' },
    volts,
  };
  const { derived, measures: all } = loadedPlatform({ components: { a: { measures } } });
  const named = (ordinal: number) => all[ordinal]!.key;

  it('stand behind what they are derived from, and say what they read and how far back they look', () => {
    expect(derived.map(({ ordinal, reads }) => [named(ordinal), reads.map(named)])).toEqual([
      ['a.second', ['a.volts']],
      ['a.middle', ['a.second']],
      ['a.last', ['a.middle', 'a.second']],
    ]);
    expect(derived.map(({ temporal, spanMs }) => [temporal, spanMs])).toEqual([
      [false, 0],
      [true, 30_000],
      [false, 0],
    ]);
  });

  it('are one for each instance, each with evaluations of its own', () => {
    const component = {
      instances: ['1', '2'],
      measures: { volts, twice: { ...volts, derived: 'volts * 2' } },
    };
    const platform = loadedPlatform({ components: { a: component } });
    expect(platform.derived.map(({ ordinal }) => platform.measures[ordinal]!.key)).toEqual([
      'a[1].twice',
      'a[2].twice',
    ]);
    const [one] = platform.derived;
    const first = one!.open();
    first.feed(one!.reads[0]!, 3, 1);
    expect([first.value(1), one!.open().value(1)]).toEqual([6, null]);
  });
});
