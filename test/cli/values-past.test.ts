/** `mcs values history` and `mcs values export` as processes, with a real archive behind a connection that breaks. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type HistoryWorld, HOUR, startHistoryWorld } from '../http/history-world.ts';
import { mcsProgram } from '../support/program.ts';
import { type Relay, startRelay } from '../support/relay.ts';
import { until } from '../support/until.ts';

const PROGRAM = await mcsProgram();
const SAMPLES = 25_000;
/** Of one message. */
const ROWS = 100;
const TIME = ['--from', '2026-01-02T03:00Z', '--to', '2026-01-02T10:00Z'];
const PATIENTLY = { timeoutMs: 45_000 };

let world: HistoryWorld;
let relay: Relay;
let folder: string;
const running = new Set<ChildProcess>();

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mcs-export-'));
  world = await startHistoryWorld();
  relay = await startRelay(world.frontEnd.port);
  for (let message = 0; message < SAMPLES / ROWS; message += 1) {
    const rows = Array.from({ length: ROWS }, (_, row) => message * ROWS + row);
    const samples = rows.map((n) => ({ key: 'battery[1].voltage', value: n, time: HOUR + n * 1_000 }));
    await world.take(samples, message < 100 ? message + 1 : message + 6);
  }
});
afterAll(async () => {
  for (const child of running) child.kill('SIGKILL');
  await relay.stop();
  await world.stop();
  rmSync(folder, { recursive: true, force: true });
});

interface Command {
  readonly child: ChildProcess;
  readonly out: () => string;
  readonly errors: () => string;
  readonly code: Promise<number | null>;
}

function mcs(...args: readonly string[]): Command {
  const env = { ...process.env, MCS_API: `http://127.0.0.1:${relay.port}`, NO_COLOR: '1' };
  const child = spawn(process.execPath, [...PROGRAM, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  running.add(child);
  let [out, errors] = ['', ''];
  child.stdout!.on('data', (data) => {
    out += data;
  });
  child.stderr!.on('data', (data) => {
    errors += data;
  });
  const code = once(child, 'close').then(([status]) => status as number | null);
  return { child, out: () => out, errors: () => errors, code };
}

const output = (name: string): string => join(folder, name);
const exported = (name: string, ...more: readonly string[]): Command =>
  mcs('values', 'export', 'sat1', 'battery.voltage', ...TIME, '-o', output(name), ...more);

describe('mcs values history', () => {
  it('prints lines into a pipe, and what was lost beside them', async () => {
    const command = mcs('values', 'history', 'sat1', 'battery[1].voltage', ...TIME);
    expect(await command.code).toBe(0);
    const lines = command.out().trimEnd().split('\n');
    expect(lines[0]).toContain('sat1  2026-01-02 03:00:00Z to 2026-01-02 10:00:00Z');
    expect(lines[2]).toMatch(/^battery\[1\]\.voltage {2}[▁▂▃▄▅▆▇█]+ +0 +24999 +24999 +25000 +V$/);
    expect(command.errors()).toContain('lost before it was archived: 5 messages');
    expect(command.out()).not.toContain('\u001b');
  });

  it('prints what the service answers as JSON, refuses as it does, and says how it is used', async () => {
    const json = mcs('values', 'history', 'sat1', 'voltage', ...TIME, '--points', '7', '--json');
    const missing = mcs('values', 'history', 'sat1', 'volts', ...TIME);
    const usage = mcs('values', 'history');
    expect([await json.code, await missing.code, await usage.code]).toEqual([0, 1, 2]);
    const { measures, gaps } = JSON.parse(json.out());
    expect([measures[0].buckets.length, gaps[0].positions]).toEqual([7, [101, 105]]);
    expect(missing.errors()).toContain(
      'api::invalid-measure: no component of the catalogue has a measure volts',
    );
    expect(usage.errors()).toContain('mcs values history TARGET');
  });
});

describe('mcs values export', () => {
  it('export-pages.E1 continues where it was when the connection breaks, and has every sample once', async () => {
    let cuts = 0;
    world.beforePage(async (page) => {
      // Two of the pages are lost on their way, one of them twice.
      if (![2, 4, 5].includes(page)) return;
      relay.cut();
      cuts += 1;
    });
    const command = exported('past.csv');
    expect(await command.code).toBe(0);
    world.beforePage(undefined);
    expect(cuts).toBe(3);
    expect(command.errors()).toContain('trying again');
    expect(command.errors()).toContain('25000 samples');
    expect(command.errors()).toContain('lost before it was archived: 5 messages');
    const [heading, ...lines] = readFileSync(output('past.csv'), 'utf8').trimEnd().split('\n');
    expect(heading).toMatch(/^target,measure,time/);
    expect(lines.map((line) => Number(line.split(',')[4]))).toEqual(
      Array.from({ length: SAMPLES }, (_, n) => n),
    );
    expect(readdirSync(folder)).toEqual(['past.csv']);
  }, 60_000);

  it('writes JSON and Parquet with the same samples', async () => {
    const commands = [exported('past.json'), exported('past.parquet')];
    expect(await Promise.all(commands.map(({ code }) => code))).toEqual([0, 0]);
    const samples = JSON.parse(readFileSync(output('past.json'), 'utf8')) as { sample: { value: number } }[];
    expect(samples.map(({ sample }) => sample.value)).toEqual(Array.from({ length: SAMPLES }, (_, n) => n));
    const connection = await (await DuckDBInstance.create()).connect();
    const read = `select count(*) as n, sum(number) as sum, count(distinct number) as different from '${output('past.parquet')}'`;
    const sum = (SAMPLES * (SAMPLES - 1)) / 2;
    expect((await connection.runAndReadAll(read)).getRowObjects()).toEqual([
      { n: BigInt(SAMPLES), sum, different: BigInt(SAMPLES) },
    ]);
    connection.closeSync();
  }, 60_000);

  it('writes into a pipe, and nothing else there', async () => {
    const command = mcs('values', 'export', 'sat1', 'voltage', ...TIME, '-o', '-', '--format', 'csv');
    expect(await command.code).toBe(0);
    expect(command.out().trimEnd().split('\n')).toHaveLength(SAMPLES + 1);
  }, 60_000);

  it.each(['SIGINT', 'SIGTERM'] as const)(
    'export-file.F1 leaves nothing half named behind %s',
    async (signal) => {
      const before = readdirSync(folder);
      let asked = 0;
      world.beforePage(async (page, gone) => {
        asked = page;
        if (page === 2) await new Promise((resolve) => gone?.addEventListener('abort', resolve));
      });
      const command = exported('broken.csv');
      await until(() => asked === 2, PATIENTLY);
      expect(readdirSync(folder).filter((name) => name.endsWith('.part'))).toHaveLength(1);
      command.child.kill(signal);
      expect(await command.code).toBe(130);
      world.beforePage(undefined);
      expect(readdirSync(folder)).toEqual(before);
      expect(command.errors()).toContain('nothing is left of the file');
    },
    60_000,
  );

  it('leaves nothing where the service refuses, or the folder is not there', async () => {
    const before = readdirSync(folder);
    const refused = mcs('values', 'export', 'sat1', 'volts', ...TIME, '-o', output('x.csv'));
    const format = mcs('values', 'export', 'sat1', 'voltage', ...TIME, '-o', output('x.txt'));
    const nowhere = mcs('values', 'export', 'sat1', 'voltage', ...TIME, '-o', join(folder, 'no', 'x.csv'));
    expect(await Promise.all([refused.code, format.code, nowhere.code])).toEqual([1, 2, 1]);
    expect(nowhere.errors()).toContain('ENOENT');
    expect(readdirSync(folder)).toEqual(before);
  }, 60_000);
});
