import { beforeEach, describe, expect, it } from 'vitest';
import { createWrite } from '../../../../actors/run/effects/write.ts';
import type { TextPart } from '../../../../contract/program.ts';
import type { Answers } from '../../../../machines/run/protocol.ts';
import { type EffectWorld, effectWorld, START } from './effect-world.ts';

let world: EffectWorld;
beforeEach(async () => {
  world = await effectWorld();
});

async function written(parts: readonly TextPart[], answers: Answers = {}) {
  const { seen } = world.begin(createWrite(world.services), {
    type: 'effect.write',
    ticket: 5,
    parts,
    answers,
  });
  await world.passes(20, 1);
  return seen.event as unknown as { type: string; text: string; samples: object[] };
}

const measure = (target: string, component: string, name: string, instance?: string | { name: string }) => ({
  target,
  component,
  measure: name,
  ...(instance !== undefined && { instance: typeof instance === 'string' ? { value: instance } : instance }),
});

describe('a text of a run', () => {
  it('MC-LOG-013 MC-LOG-025 shows names and current values with their units, and gives their samples', async () => {
    await world.samples('sat1', ['battery[1].voltage', 'obc.mode', 'power.heater'], [START, 7.42, 2, 0]);
    const event = await written(
      [
        'cell at ',
        measure('sat1', 'battery', 'voltage', { name: 'cell' }),
        ' in ',
        measure('sat1', 'obc', 'mode'),
        ', heater ',
        measure('sat1', 'power', 'heater'),
        ', level ',
        { name: 'level', unit: 'dB' },
      ],
      { cell: '1', level: 12.5 },
    );
    expect(event).toMatchObject({
      type: 'written',
      ticket: 5,
      text: 'cell at 7.42 V in NOMINAL, heater false, level 12.5 dB',
    });
    const times = { time: '2026-03-01T12:00:00.000Z', ground_time: '2026-03-01T12:00:00.000Z' };
    expect(event.samples).toEqual([
      { target: 'sat1', component: 'battery', instance: '1', measure: 'voltage', value: 7.42, ...times },
      { target: 'sat1', component: 'obc', measure: 'mode', value: 'NOMINAL', ...times },
      { target: 'sat1', component: 'power', measure: 'heater', value: false, ...times },
    ]);
  });

  it('writes unknown for what has no value', async () => {
    const event = await written([
      measure('sat1', 'obc', 'mode'),
      ' ',
      measure('sat1', 'battery', 'voltage', { name: 'cell' }),
      ' ',
      { name: 'level', unit: 'dB' },
    ]);
    expect(event).toMatchObject({ text: 'unknown unknown unknown', samples: [] });
  });

  it('shows text, bytes and integers of 64 bits as the API does', async () => {
    const keys = ['unit.label', 'unit.key', 'unit.big', 'unit.ratio'];
    await world.samples('probe', keys, [START, 'left', '00ff', '9007199254740991', Math.fround(0.1)]);
    const event = await written(
      ['label', 'key', 'big', 'ratio'].flatMap((name) => [measure('probe', 'unit', name), ' ']),
    );
    expect(event.text).toBe('left 00ff 9007199254740991 0.1 ');
    expect(event.samples.map((sample) => (sample as { value: unknown }).value)).toEqual([
      'left',
      '00ff',
      9_007_199_254_740_991,
      Math.fround(0.1),
    ]);
  });

  it('shows nothing of before what was stored when it began', async () => {
    await world.samples('sat1', ['obc.counter'], [START, 1]);
    const last = world.bus.last.bind(world.bus);
    world.bus.last = async (...asked) => {
      world.bus.last = last;
      await world.samples('sat1', ['obc.counter'], [START + 1, 2]);
      return last(...asked);
    };
    expect((await written([measure('sat1', 'obc', 'counter')])).text).toBe('2');
  });
});
