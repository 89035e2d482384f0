/** What is read of a checkpoint as it stands on the bus: all of it, or nothing. */

import { describe, expect, it } from 'vitest';
import { decodeCheckpoint, encodeCheckpoint } from '../../telemetry/checkpoint.ts';
import { CurrentValues, type ValueColumns } from '../../telemetry/current-values.ts';
import { platformOf, valuesOf } from './platform.ts';

const platform = platformOf({ 'obc.counter': { type: 'u64' }, 'obc.rate': { type: 'f32' } });

function columnsOf(): ValueColumns {
  const values = new CurrentValues(platform);
  values.apply(valuesOf(platform, [{ ground: 5, raw: { 'obc.counter': 1, 'obc.rate': 0.5 } }]));
  return { ...values.snapshot(), wide: [[0, 2n ** 60n]] };
}

const CHECKPOINT = { epoch: 3, positions: { decoded: 7, values: 8 }, columns: columnsOf() };
const read = async (parts: object) => decodeCheckpoint(await encodeCheckpoint({ ...CHECKPOINT, ...parts }));
const withColumns = (parts: object) => read({ columns: { ...CHECKPOINT.columns, ...parts } });

describe('a checkpoint', () => {
  it('is read as it was written', async () => {
    expect(await read({})).toEqual({ version: 1, ...CHECKPOINT });
  });

  it.each<[string, object]>([
    ['no epoch', { epoch: undefined }],
    ['no positions', { positions: undefined }],
    ['no position in the decoded samples', { positions: { values: 8 } }],
    ['a position that is text', { positions: { decoded: 7, values: '8' } }],
    ['no columns', { columns: undefined }],
  ])('checkpoint.P1 with %s is none', async (_what, parts) => {
    expect(await read(parts)).toBeUndefined();
  });

  it.each<[string, object]>([
    ['no platform', { platform: undefined }],
    ['keys that are numbers', { keys: [1, 2] }],
    ['a meaning that is missing', { meanings: ['a'] }],
    ['values in a list', { value: [1, 2] }],
    ['times that are missing', { time: new Float64Array(1) }],
    ['links of samples as text', { link: ['uhf', 'uhf'] }],
    ['deliveries as numbers of another width', { deferred: new Uint16Array(2) }],
    ['no links', { links: undefined }],
    ['a link that is null', { links: [null] }],
    ['no wide values', { wide: undefined }],
    ['a wide value of no row', { wide: [[2, '1']] }],
    ['a wide value that is null', { wide: [null] }],
    ['a wide value that is an object', { wide: [[0, {}]] }],
  ])('checkpoint.P1 with %s is none', async (_what, parts) => {
    expect(await withColumns(parts)).toBeUndefined();
  });
});
