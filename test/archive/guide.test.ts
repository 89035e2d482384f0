/** The examples of `docs/archive.md` are run as they stand there, over files of an archive. */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Archive } from '../../archive/archive.ts';
import { LONG_COLUMNS } from '../../archive/long-rows.ts';
import { SAMPLE_COLUMNS, sampleCells } from '../../archive/table-columns.ts';
import { TableDraft } from '../../archive/table-draft.ts';
import { workHere } from '../../archive/workshop.ts';
import { ERRORS } from '../../contract/errors.ts';
import { SAMPLE_FIELDS } from '../../contract/history-view.ts';
import {
  HISTORY_MEASURES,
  HISTORY_PAGE,
  HISTORY_PAGE_USUAL,
  HISTORY_POINTS,
  HISTORY_POINTS_OF_ALL,
} from '../../contract/limits/archive.ts';
import { load } from '../../mission/load.ts';
import { compiled, topology } from '../mission/documents.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { blockOf, HOUR, MEASURES, messageOf, PLATFORM } from './values.ts';

const guide = readFileSync('docs/archive.md', 'utf8');
const VOLTAGE = MEASURES.findIndex(({ key }) => key === 'battery[1].voltage');
const MINUTES = 180;

/** The code behind a mark of the guide. */
function example(mark: string, language: string): string {
  const code = guide.split(`<!-- ${mark} -->\n\`\`\`${language}\n`)[1]?.split('\n```')[0];
  if (code === undefined) throw new Error(`the guide has no example ${mark}`);
  return code;
}

let folder: string;
let connection: Awaited<ReturnType<DuckDBInstance['connect']>>;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mcs-guide-'));
  connection = await (await DuckDBInstance.create()).connect();
  const archive = await Archive.open(workHere(folder), { stream: 'S1', clock: new ManualClock(HOUR) });
  for (let minute = 0; minute < MINUTES; minute += 1) {
    const rows = [0, 1].map((half) => ({
      ground: HOUR + minute * 60_000 + half * 30_000,
      cells: [7_000 + minute, 8_000],
    }));
    const block = blockOf([VOLTAGE, VOLTAGE + 1], rows);
    await archive.append(messageOf(minute + 1, [block], { storedMs: HOUR + minute * 60_000 }), PLATFORM);
    if (minute % 30 === 29) await archive.flush();
  }
  // Two hours are over and compacted; the third is in parts.
  while ((await archive.maintain()) !== undefined);
  const query = {
    target: 'sat1',
    measures: ['battery[1].voltage', 'power.mode'],
    from: 0,
    to: 1e13,
  } as const;
  const { samples } = await archive.samples({ ...query, delivery: 'all' }, { limit: 1_000 });
  await archive.close();
  const table = new TableDraft(SAMPLE_COLUMNS, {});
  const bytes = [table.add(sampleCells('sat1', query.measures, samples)), table.end()];
  writeFileSync(join(folder, 'past.parquet'), Buffer.concat(bytes));
});
afterAll(() => {
  connection.closeSync();
  rmSync(folder, { recursive: true, force: true });
});

const loadable = ({ configuration, revision }: ReturnType<typeof compiled>) =>
  [configuration, revision] as const;

async function run(mark: string): Promise<Record<string, unknown>[]> {
  const sql = example(`duckdb ${mark}`, 'sql')
    .replaceAll('var/archive/values', folder)
    .replaceAll('past.parquet', join(folder, 'past.parquet'));
  return (await connection.runAndReadAll(sql)).getRowObjects();
}

describe('the guide of the archive', () => {
  it('has an hourly mean of the samples', async () => {
    const rows = await run('hourly');
    expect(rows.map(({ n, mean }) => [Number(n), (mean as number).toFixed(4)])).toEqual([
      [120, '7.0295'],
      [120, '7.0895'],
      [120, '7.1495'],
    ]);
  });

  it('has days from minutes, of hours that are over', async () => {
    expect((await run('minutes')).map(({ min, max }) => [min, max])).toEqual([[7, 7.119]]);
  });

  it('has what the files say of their measures', async () => {
    const rows = await run('measures');
    expect(rows).toContainEqual({ key: 'battery[1].voltage', type: 'u16', unit: 'V' });
  });

  it('has an export as a table with a column for each measure', async () => {
    const rows = await run('export');
    expect(rows).toHaveLength(2 * MINUTES);
    expect(rows[1]!['battery[1].voltage']).toBe(7);
  });

  it('names columns in Python that the files have', async () => {
    const python = example('pandas', 'python');
    const names = ['time', 'target', 'battery[1].voltage'];
    for (const name of names) expect(python).toContain(`"${name}"`);
    const described = await connection.runAndReadAll(
      `describe select * from read_parquet('${folder}/*/[0-9]*/values-*.parquet', union_by_name = true)`,
    );
    const columns = described.getRowObjects().map(({ column_name }) => column_name);
    expect(columns).toEqual(expect.arrayContaining([...names, 'battery[1].voltage.raw']));
  });

  it('has settings that compile', () => {
    const config = { file: 'config.yaml', text: `config: settings\n${example('settings', 'yaml')}` };
    const { settings } = load(...loadable(compiled([topology(), config])));
    const DAY_MS = 24 * 3_600_000;
    expect(settings.archive).toEqual({
      archiveFolder: '/data/archive',
      samplesMs: 90 * DAY_MS,
      eventsMs: 3_650 * DAY_MS,
      minutesMs: 3_650 * DAY_MS,
    });
  });

  it('names the columns, bounds and codes there are', () => {
    for (const { name } of [...SAMPLE_COLUMNS, ...LONG_COLUMNS]) expect(guide).toContain(`\`${name}\``);
    for (const bound of [
      HISTORY_MEASURES,
      HISTORY_POINTS,
      HISTORY_POINTS_OF_ALL,
      HISTORY_PAGE,
      HISTORY_PAGE_USUAL,
    ])
      expect(guide).toMatch(new RegExp(`\\b${bound}\\b`));
    for (const code of guide.matchAll(/`(archive::[a-z]+)`/g)) expect(ERRORS).toHaveProperty([code[1]!]);
    expect(SAMPLE_FIELDS).toContain('position');
  });
});
