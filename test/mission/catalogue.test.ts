/** The catalogue as clients see it. */

import { Check } from 'typebox/value';
import { describe, expect, it } from 'vitest';
import { CatalogueView } from '../../contract/catalogue.ts';
import { catalogueView } from '../../mission/catalogue.ts';
import { demoDocuments, loaded, loadedPlatform } from './documents.ts';

const platform = loadedPlatform({
  enums: { Mode: { OFF: 0, ON: 1 } },
  components: {
    bare: {},
    cell: {
      description: 'A cell',
      instances: ['1', '2'],
      measures: {
        volts: {
          description: 'Voltage',
          type: 'f64',
          unit: 'V',
          limits: { soft: ['6.8 V', '8300 mV'], hard: [6, null] },
        },
        double: { type: 'f64', unit: 'V', derived: 'volts * 2' },
        mode: { type: 'Mode' },
      },
      telecommands: {
        go: {
          description: 'Go',
          changes_state: false,
          hazardous: true,
          args: {
            mode: { type: 'Mode', default: 'ON' },
            period: {
              description: 'How long',
              type: 'u16',
              unit: 's',
              range: ['10 s', '10 min'],
              default: '1 min',
            },
            tag: { type: 'bytes', default: '0x00' },
          },
        },
        stop: {},
      },
    },
  },
});
const view = catalogueView(platform);
const [bare, cell] = view.components;

describe('the view', () => {
  it('MC-CAT-001 names the platform with its version, and its components', () => {
    expect(view.platform).toBe('box@1.0.0');
    expect(view.components.map(({ name }) => name)).toEqual(['bare', 'cell']);
    expect(Check(CatalogueView, view)).toBe(true);
  });

  it('MC-CAT-002 gives each component its description, instances, measures and telecommands', () => {
    expect(bare).toEqual({ name: 'bare', instances: [], measures: [], telecommands: [] });
    expect(cell).toMatchObject({ name: 'cell', description: 'A cell', instances: ['1', '2'] });
  });

  it('MC-CAT-003 gives each measure type, unit, limits in that unit, and whether it is derived', () => {
    expect(cell?.measures).toEqual([
      {
        name: 'volts',
        description: 'Voltage',
        type: 'f64',
        unit: 'V',
        soft: [6.8, 8.3],
        hard: [6, null],
        derived: false,
      },
      { name: 'double', type: 'f64', unit: 'V', derived: true },
      { name: 'mode', type: 'Mode', derived: false },
    ]);
  });

  it('MC-CAT-004 gives each telecommand its arguments, whether it changes state and whether it is hazardous', () => {
    expect(cell?.telecommands.map(({ args, ...rest }) => [rest, args.length])).toEqual([
      [{ name: 'go', description: 'Go', changes_state: false, hazardous: true }, 3],
      [{ name: 'stop', changes_state: true, hazardous: false }, 0],
    ]);
  });

  it('MC-CAT-005 gives each argument type, unit, values, range, and its default as written', () => {
    expect(cell?.telecommands[0]?.args).toEqual([
      { name: 'mode', type: 'Mode', values: ['OFF', 'ON'], default: 'ON' },
      { name: 'period', description: 'How long', type: 'u16', unit: 's', range: [10, 600], default: '1 min' },
      { name: 'tag', type: 'bytes', default: '0x00' },
    ]);
  });

  it('holds for every platform of the demo mission', () => {
    for (const each of loaded(demoDocuments()).platforms.values()) {
      expect(Check(CatalogueView, JSON.parse(JSON.stringify(catalogueView(each))))).toBe(true);
    }
  });
});
