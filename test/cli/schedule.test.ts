/** `mcs schedule` and `mcs rule` as a person uses them, against the demo mission with its schedulers. */

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rule } from '../../cli/rule.ts';
import { schedule } from '../../cli/schedule.ts';
import type { Schedule } from '../../contract/schedule.ts';
import type { Rule } from '../../contract/schedule-rule.ts';
import { call } from '../support/client.ts';
import { type DemoCell, startDemoCell } from '../support/demo-cell.ts';
import { keepPrinted } from '../support/printed.ts';
import { until } from '../support/until.ts';

const MINUTE = 60_000;
/** A machine with much else to do takes its time. */
const PATIENTLY = { timeoutMs: 30_000 };
const START = Math.ceil(Date.now() / 1_000) * 1_000 + 60 * MINUTE;

let cell: DemoCell;
let folder: string;
const printed = keepPrinted();

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mcs-schedule-'));
  cell = await startDemoCell({ memberTtlMs: 20_000 });
}, 60_000);
afterAll(async () => {
  await cell.stop();
  await rm(folder, { recursive: true });
});

const commands = { schedule, rule };

/** What a command printed. */
async function mcs(name: keyof typeof commands, ...args: string[]) {
  printed.out = '';
  printed.err = '';
  const who = args.includes('--user') ? [] : ['--user', 'ada'];
  const code = await commands[name]([...args, '--api', cell.api, ...who]);
  return { code, out: printed.out, err: printed.err };
}

/** What it printed; it must end with 0. */
async function done(name: keyof typeof commands, ...args: string[]): Promise<string> {
  const { code, out, err } = await mcs(name, ...args);
  expect(code, err + out).toBe(0);
  return out;
}

/** A booked pass of sat1 from and to so many minutes behind the start of the tests. */
async function book(id: string, from: number, to: number, more: object = {}): Promise<void> {
  const at = (minute: number): string => new Date(START + minute * MINUTE).toISOString();
  const place = { target: 'sat1', station: 'kiruna', max_elevation: '47.3 deg' };
  const pass = { id, aos: at(from), los: at(to), source: 'provider', status: 'booked', ...place, ...more };
  const answer = await call('POST', `${cell.api}/v1/passes`, pass, { 'x-mcs-user': 'station-network' });
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
}

const clock = (ms: number): string => new Date(ms).toISOString().slice(0, 19).replace('T', ' ');
const check = (id: string, pass: string, ...more: string[]): Promise<string> =>
  done('schedule', 'create', id, '--pass', pass, '--run', 'health_check', 'sat=sat1', ...more);
const read = async (id: string): Promise<Schedule> =>
  JSON.parse(await done('schedule', 'show', id, '--json'));

describe('mcs schedule', { timeout: 90_000 }, () => {
  it('MC-SCH-003 creates one from options, lists it by start and shows everything of it', async () => {
    await book('p1', 0, 10);
    const out = await check('s2', 'p1', '--start', 'aos + 5 min');
    expect(out).toMatch(
      new RegExp(
        `^s2 {2}scheduled {2}health_check on p1 of sat1 at ${clock(START + 5 * MINUTE)}Z \\(in 1:0\\d:\\d\\d\\)\\n$`,
      ),
    );
    await check('s1', 'p1', '--start', 'aos+30s', '--environment', 'rehearsal', '--library', 'ops');
    const [heading, ...rows] = (await done('schedule', 'list', '--pass', 'p1')).trimEnd().split('\n');
    expect(heading).toMatch(/^STATE +STARTS +DAY +AT +SCHEDULE +PASS +TARGET +PROCEDURE +BY +REASONS$/);
    expect(rows.map((row) => row.split(/ {2,}/)[4])).toEqual(['s1', 's2']);
    expect(rows[0]).toMatch(/^scheduled +in \S+ +\S+ +\S+Z +s1 +p1 +sat1 +health_check +ada$/);
    // A pass of an hour before midnight has schedules on the day after.
    const day = ['--from', new Date(START + 2 * 86_400_000).toISOString().slice(0, 10)];
    expect((await mcs('schedule', 'list', '--pass', 'p1', ...day)).err).toMatch(/^no schedules on that pass/);
    const text = await done('schedule', 'show', 's1');
    for (const line of [/state +scheduled/, /start +aos\+30s/, /pass +p1 of sat1\n +booked over kiruna, AOS/])
      expect(text).toMatch(line);
    expect(text).toMatch(/procedure +health_check of ops\n {2}targets +sat=sat1\n {2}environment +rehearsal/);
    expect(await read('s1')).toMatchObject({ id: 's1', library: 'ops', environment: 'rehearsal', by: 'ada' });
  });

  it('MC-SCH-054 MC-SCH-055 a hazardous one is at risk until a supervisor has validated it', async () => {
    await book('p2', 20, 40);
    const words = ['create', 'reboot', '--pass', 'p2', '--start', 'aos', '--run', 'reboot_obc', 'sat=sat1'];
    const created = await done('schedule', ...words, '--environment', 'rehearsal');
    expect(created).toMatch(/^reboot {2}AT RISK .*: .* needs the validation of a supervisor\n$/);
    expect(await done('schedule', 'show', 'reboot')).toMatch(/validation +NEEDED, by a supervisor/);
    const refused = await mcs('schedule', 'validate', 'reboot');
    expect([refused.code, refused.err]).toEqual([
      1,
      expect.stringMatching(/^schedule::not-supervisor: .* \(Ask a supervisor/),
    ]);
    const validated = await done('schedule', 'validate', 'reboot', '--user', 'eve', '--role', 'supervisor');
    expect(validated).toMatch(/^reboot {2}validated by eve for p2, AOS \S+ \S+Z, LOS \S+ \S+Z\n$/);
    expect(await done('schedule', 'show', 'reboot')).toMatch(/state +scheduled(.|\n)*validation +by eve at /);
  });

  it('MC-SCH-014 MC-SCH-039 cancels one, which --all lists with who did it', async () => {
    await book('p3', 60, 70);
    await check('s3', 'p3', '--start', 'aos');
    expect(await done('schedule', 'cancel', 's3')).toBe('s3  CANCELLED\n');
    expect((await mcs('schedule', 'list', '--pass', 'p3')).err).toMatch(/^no schedules on that pass .*--all/);
    expect(await done('schedule', 'list', '--pass', 'p3', '--all')).toMatch(
      /CANCELLED +- .* s3 .* cancelled by ada\n$/,
    );
    expect(await mcs('schedule', 'cancel', 's3')).toMatchObject({
      code: 1,
      err: 'schedule::final: schedule s3 is cancelled already\n',
    });
  });

  it('MC-SCH-051 shows the run of one that has fired, and how it ended', async () => {
    await book('p4', 300, 310);
    await check('s4', 'p4', '--start', 'aos');
    // It begins as soon as its schedule is there, however long that took.
    const now = (Date.now() - START) / MINUTE;
    await book('p4', now, now + 10);
    const isOver = async () => /run +\S+ {2}passed /.test(await done('schedule', 'show', 's4'));
    await until(isOver, { timeoutMs: 60_000, what: 'the run to pass' });
    const { run_id: run } = await read('s4');
    const text = await done('schedule', 'show', 's4');
    expect(text).toMatch(/state +fired\n/);
    expect(text).toMatch(/was due +\S+ \S+Z\n/);
    expect(text).toContain(`${run}  passed  (mcs run follow ${run})`);
    expect(await done('schedule', 'list', '--all', '--pass', 'p4')).toMatch(
      new RegExp(`^fired +- .* s4 .* run ${run}$`, 'm'),
    );
  });

  it('post-all.U1 creates those of a file, and stops at the first that is refused', async () => {
    await book('p5', 100, 110);
    const one = (id: string, start: string) => ({
      id,
      pass: 'p5',
      start,
      run: 'health_check',
      targets: { sat: 'sat1' },
    });
    const path = join(folder, 'schedules.json');
    await writeFile(path, JSON.stringify([one('f1', 'aos'), one('f2', 'los'), one('f3', 'aos + 5 min')]));
    const { code, out, err } = await mcs('schedule', 'create', '--file', path);
    expect([code, out]).toEqual([1, expect.stringMatching(/^f1 {2}scheduled .*\n$/)]);
    expect(err).toMatch(
      /^schedule f2: schedule::invalid: .*"los".*aos \+ 30 s.*\n1 of 3 schedules are written;/,
    );
    await writeFile(
      path,
      '{ id: f4, pass: p5, start: aos + 5 min, run: health_check, targets: { sat: sat1 } }',
    );
    const yaml = await done('schedule', 'create', '--file', path, '--json');
    expect(JSON.parse(yaml)).toMatchObject({ id: 'f4', state: 'scheduled' });
    await writeFile(path, '- 3');
    await expect(mcs('schedule', 'create', '--file', path)).rejects.toThrow(/entry 1 .* is not a schedule/);
  });

  it('MC-SCH-007 MC-SCH-042 prints every reason of a refusal, and how the pairs were read', async () => {
    await book('p6', 120, 121);
    const words = ['create', 's6', '--pass', 'p6', '--start', 'aos', '--run', 'health_check'];
    const short = await mcs('schedule', ...words, 'sat=sat1');
    expect([short.code, short.out, short.err]).toEqual([
      1,
      '',
      expect.stringMatching(/^schedule::refused: .*LOS.*\nmcs: read as targets: sat; as inputs: none\n$/),
    ]);
    const typo = await mcs('schedule', ...words, 'sat=sat7');
    expect(typo.err).toMatch(
      /^schedule::refused: pass p6 is of sat1, which is the target of no role (.|\n)*read as targets: none; as inputs: sat\n$/,
    );
  });

  it.each([
    ['schedule', ['list', 'p1'], 2, /^mcs schedule list/],
    ['schedule', ['list', '--utc', '--local'], 2, /^mcs schedule list/],
    ['schedule', ['list', '--from', 'today'], 1, /^api::invalid-body: .*from/],
    ['schedule', ['show'], 2, /^mcs schedule show/],
    ['schedule', ['show', 's9'], 1, /^schedule::unknown: no schedule s9 \(/],
    ['schedule', ['create', 's9', '--pass', 'p1'], 2, /^mcs schedule create/],
    ['schedule', ['create', '--file', 'f', '--run', 'r'], 2, /^mcs schedule create/],
    ['schedule', ['cancel'], 2, /^mcs schedule cancel/],
    ['schedule', ['validate', 's9', '--role', 'supervisor'], 1, /^schedule::unknown/],
    ['schedule', ['fly'], 2, /mcs schedule list(.|\n)*mcs schedule validate(.|\n)*--token/],
    ['rule', ['add', 'r1', '--target', 'sat1'], 2, /^mcs rule add/],
    ['rule', ['add', 'r1', '--target', 'sat1', '--uplink', 'maybe'], 2, /^mcs rule add/],
    ['rule', ['add', '--file', 'f', '--station', 'kiruna'], 2, /^mcs rule add/],
    ['rule', ['remove', 'r9'], 1, /^schedule::unknown-rule: no rule r9 \(/],
    ['rule', ['list', 'r1'], 2, /^mcs rule list/],
    ['rule', [], 2, /mcs rule list(.|\n)*mcs rule remove(.|\n)*--token/],
  ] as const)('mcs %s %j: exit code %i', async (name, args, expected, error) => {
    expect(await mcs(name, ...args)).toMatchObject({
      code: expected,
      out: '',
      err: expect.stringMatching(error),
    });
  });
});

describe('mcs rule', { timeout: 90_000 }, () => {
  const words = ['--target', 'sat1', '--start', 'aos', '--run', 'health_check', 'sat=sat1'];
  const listed = async (): Promise<Rule[]> => JSON.parse(await done('rule', 'list', '--json'));

  it('MC-RULE-002 MC-RULE-011 adds one, and lists what it made and what it refused with why', async () => {
    const svalbard = { station: 'svalbard' };
    await book('r-long', 200, 210, svalbard);
    await book('r-low', 220, 230, { ...svalbard, max_elevation: '5 deg' });
    await book('r-short', 240, 242, svalbard);
    const filter = ['--station', 'svalbard', '--min-elevation', '20 deg', '--uplink', 'yes'];
    const added = await done('rule', 'add', 'each', ...words, '--status', 'booked', ...filter);
    expect(added).toBe(
      'each  health_check at aos on passes of sat1: booked, with uplink, as high as 20 deg, over svalbard\n',
    );
    const isMade = async () =>
      (await listed()).some(({ passes }) => passes.created === 1 && passes.refused.length === 1);
    await until(isMade, { ...PATIENTLY, what: 'both passes to be looked at' });
    const [heading, row, refusal] = (await done('rule', 'list')).trimEnd().split('\n');
    expect(heading).toMatch(/^RULE +TARGET +START +PROCEDURE +MATCHED +CREATED +REFUSED +BY +PASSES$/);
    expect(row).toMatch(/^each +sat1 +aos +health_check +2 +1 +1 +ada +booked, with uplink/);
    expect(refusal).toMatch(/^each: no schedule on r-short: .*LOS.* \(\S+ \S+Z\)$/);
    expect(await done('schedule', 'list', '--pass', 'r-long')).toMatch(/ each-r-long .* rule each$/m);
  });

  it('MC-RULE-013 MC-RULE-015 removes one; its schedules stay', async () => {
    expect(await done('rule', 'remove', 'each')).toBe(
      'each  removed; its schedules stay (mcs schedule list)\n',
    );
    await until(async () => (await listed()).length === 0);
    expect((await mcs('rule', 'list')).err).toBe('no rules\n');
    expect((await read('each-r-long')).state).toBe('scheduled');
  });

  it('MC-RULE-007 adds those of a file, and prints why one is refused', async () => {
    const one = (id: string, run: string) => ({
      id,
      target: 'sat1',
      start: 'aos',
      run,
      targets: { sat: 'sat1' },
    });
    const path = join(folder, 'rules.yaml');
    await writeFile(path, JSON.stringify([one('ra', 'health_check'), one('rb', 'reboot_obc')]));
    const { code, out, err } = await mcs('rule', 'add', '--file', path, '--json');
    expect([code, JSON.parse(out)]).toMatchObject([1, { id: 'ra', passes: { created: expect.any(Number) } }]);
    expect(err).toMatch(/^rule rb: schedule::refused: .*hazardous.*\n1 of 2 rules are written;/);
    await done('rule', 'remove', 'ra');
  });
});
