/** The driver of text: lines both ways, answers as reports, and everything that is refused. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LINE_BYTES } from '../../../contract/limits/link.ts';
import { createTextDriver } from '../../../links/driver/text.ts';
import type { Mission } from '../../../mission/mission.ts';
import { benchMission, readAll, sourceOf } from '../bench-lab.ts';

function driverWith(settings: Readonly<Record<string, unknown>> = {}) {
  const made = createTextDriver(settings);
  if (!made.ok) throw new Error(made.faults.join('\n'));
  return made.value;
}

const driver = driverWith();
const mission = benchMission();
const bare = benchMission((text) => text.replace('        transport: { kind: line }\n', ''));
const source = sourceOf(mission, 'chamber');
const call = { target: 'chamber', link: 'console', component: 'chamber' };
const heater = { ...call, telecommand: 'heater', args: { on: true } };
const read = (...lines: (string | Buffer)[]) =>
  readAll(
    driver,
    source,
    lines.map((line) => Buffer.from(line as string)),
  );

async function reference(telecommand: string, args: object): Promise<string | undefined> {
  const answer = await driver.encode!({ ...call, telecommand, args: args as never }, mission);
  if (!answer.ok) throw new Error(answer.faults[0].message);
  return answer.value.reference;
}

describe('telecommands', () => {
  it('MC-ENC-011 are the line on a link of lines, and the line with its end on one without transport', async () => {
    const frame = async (of: Mission, settings?: Record<string, unknown>) => {
      const answer = await driverWith(settings).encode!(heater, of);
      return answer.ok ? Buffer.from(answer.value.frame, 'hex').toString() : answer.faults[0].message;
    };
    expect(await frame(mission)).toBe('SET HEATER ON');
    expect(await frame(bare)).toBe('SET HEATER ON\n');
    expect(await frame(bare, { terminator: 'crlf' })).toBe('SET HEATER ON\r\n');
    expect(await frame(bare, { terminator: 'none' })).toBe('SET HEATER ON');
    expect(await frame(mission, { terminator: 'crlf' })).toBe('SET HEATER ON');
  });

  it('MC-ENC-007 are shown as text when they are printable', async () => {
    const label = (text: string) =>
      driver.encode!({ ...call, telecommand: 'set_label', args: { text } }, mission);
    expect(await label('hot')).toMatchObject({ value: { text: 'LABEL "hot"' } });
    const answer = await label('23 °C');
    expect(answer.ok && answer.value.text).toBeUndefined();
  });

  it('are refused with every reason', async () => {
    const refusal = async (of: object) => {
      const answer = await driver.encode!({ ...heater, ...of }, mission);
      return answer.ok ? 'accepted' : `${answer.faults[0].code} ${answer.faults[0].message}`;
    };
    expect(await refusal({ telecommand: 'melt' })).toMatch(/^driver::encode-failed .*no such telecommand/);
    expect(await refusal({ args: {} })).toMatch(/heater: on: no value/);
    expect(await refusal({ telecommand: 'set_label', args: { text: 'a\rb' } })).toMatch(/U\+000D/);
    expect(await refusal({ link: 'uhf' })).toMatch(/no link/);
    const fields = { target: 'board', link: 'umbilical', component: 'bus', telecommand: 'set_limit' };
    expect(await refusal({ ...fields, args: { current: 1 } })).toMatch(/add `line`/);
  });
});

describe('received lines', () => {
  const STATE = 'STATE -12.50 SET 25.00 HEATER ON DOOR OPEN';
  const ROW = { temperature: -12.5, goal: 25, heater: 1, door: 1 };

  it('become samples by the pattern they match, with any end and several in a frame', () => {
    expect(read(STATE, `${STATE}\r\n`, `  ${STATE}\n\n${STATE}\r`)).toEqual({
      rows: [ROW, ROW, ROW, ROW],
      reports: [],
      faults: [],
    });
  });

  it('text.Y3 that match nothing are faults, shown in part and without control characters', () => {
    const { rows, faults } = read(
      'STATE warm',
      `x${'y'.repeat(500)}`,
      '\u001b[2J',
      Buffer.from('ff00', 'hex'),
      'z'.repeat(LINE_BYTES + 1),
    );
    expect(rows).toEqual([]);
    expect(faults).toEqual([
      'no pattern matches "STATE warm"',
      expect.stringMatching(/^no pattern matches "xy{78}…$/),
      'no pattern matches "\\u001b[2J"',
      '2 bytes are not UTF-8 text',
      expect.stringContaining('bytes are too long for a line'),
    ]);
  });

  it('line/reader.R2 with a value that the measure cannot hold leave nothing behind', () => {
    const { rows, faults } = read(STATE.replace('-12.50', '9'.repeat(400)));
    expect(rows).toEqual([]);
    expect(faults).toEqual([expect.stringMatching(/^line state: 9+ is nothing f64 holds$/)]);
  });

  it('text.Y1 that are answers report the telecommands that may await them, by their pair of patterns', async () => {
    const simple = await reference('heater', { on: true });
    const asking = await reference('read_label', {});
    expect(await reference('set_label', { text: 'x' })).toBe(simple);
    expect(asking).not.toBe(simple);
    expect(simple).toMatch(/^console\./);
    const { reports, faults } = read('OK', 'ERR 3 door open');
    expect(faults).toEqual([]);
    expect(reports).toEqual([
      { reference: simple, stage: 'completion', ok: true, detail: '"OK"', at: 1_000 },
      { reference: simple, stage: 'acceptance', ok: false, code: 3, detail: '"ERR 3 door open"', at: 1_001 },
      { reference: asking, stage: 'acceptance', ok: false, code: 3, detail: '"ERR 3 door open"', at: 1_001 },
    ]);
  });

  it('text.Y4 may be an answer and telemetry', async () => {
    const { rows, reports } = read('LABEL one two');
    expect(rows).toEqual([{ label: 'one two' }]);
    expect(reports).toMatchObject([{ reference: await reference('read_label', {}), ok: true }]);
  });

  it('MC-ENC-016 MC-ENC-018 decode to samples in the terms of the catalogue, answers for the eye', () => {
    const decoded = (line: string) =>
      driver.decode!(
        { target: 'chamber', link: 'console', frame: Buffer.from(line).toString('hex') },
        mission,
      );
    expect(decoded(STATE)).toMatchObject({
      value: {
        samples: [
          { component: 'chamber', measure: 'temperature', raw: -12.5, value: -12.5, unit: 'degC' },
          { measure: 'goal' },
          { measure: 'heater', raw: true, value: true },
          { measure: 'door', raw: 1, value: 'OPEN' },
        ],
      },
    });
    expect(decoded('ERR 3 door open')).toMatchObject({
      value: {
        samples: [
          { component: 'verification', measure: 'ok', raw: false, value: null },
          { measure: 'code', raw: 3 },
          {},
          {},
        ],
      },
    });
    for (const line of ['what?', 'x'.repeat(LINE_BYTES + 1)])
      expect(decoded(line)).toMatchObject({ faults: [{ code: 'driver::decode-failed' }] });
  });

  it('keep integers past 2^53 exact, and refuse what their measure cannot hold', () => {
    const counting = benchMission((text) =>
      text
        .replace(
          '      label: { type: string',
          '      wide: { type: u64 }\n      byte: { type: u8 }\n      label: { type: string',
        )
        .replace(
          '\nlines:\n',
          '\nlines:\n  wide: { match: "W {w:integer} {b:hex}", to: { w: chamber.wide, b: chamber.byte } }\n',
        ),
    );
    const found = readAll(driver, sourceOf(counting, 'chamber'), [
      Buffer.from('W 18446744073709551615 fF'),
      Buffer.from('W +7 100'),
      Buffer.from('W -1 0'),
    ]);
    expect(found.rows).toEqual([{ wide: 18_446_744_073_709_551_615n, byte: 255 }]);
    expect(found.faults).toEqual([
      'line wide: 100 is nothing u8 holds',
      'line wide: -1 is nothing u64 holds',
    ]);
  });

  it('of any bytes never make reading throw (driver.D2)', () => {
    const piece = fc.constantFrom('STATE ', 'OK', 'ERR ', '1', '.', ' ', 'LABEL ', '\n', '\r', 'ON', '-');
    const anyFrame = fc.oneof(
      fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes)),
      fc.array(piece).map((pieces) => Buffer.from(pieces.join(''))),
    );
    fc.assert(
      fc.property(anyFrame, (frame) => {
        readAll(driver, source, [frame]);
      }),
      { numRuns: 2_000 },
    );
  });
});

it('has one setting', () => {
  expect(createTextDriver({ terminator: 'eof', echo: true })).toMatchObject({ faults: { length: 2 } });
  expect(createTextDriver({ terminator: 'toString' }).ok).toBe(false);
});
