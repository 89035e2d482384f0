/**
 * `mcs unit selftest|update|reboot`: a verb of a unit, and for the latter two what becomes of it until the unit is
 * back. A thin client of the routes of units. Mission Control Service, section 4.8.
 *
 * C1. What the unit is busy with is on stderr, in a terminal in one line; its reply is on stdout.
 * C2. What is not over in time, and a failed self-test, is exit code 1.
 */

import type { SelftestReport, UnitList, UnitView } from '../contract/unit.ts';
import { realClock } from '../supervision/clock.ts';
import { defineCommand, type ValuesOf } from './command.ts';
import { WrongUsage } from './command-line.ts';
import { pause } from './followed.ts';
import { printJson } from './print-json.ts';
import { jsonText, printable } from './printable.ts';
import { ask, faultLine } from './request.ts';
import { type Service, serviceOf } from './service.ts';
import { JSON_OPTIONS } from './table-options.ts';
import { UnitProgress } from './unit-progress.ts';
import { REBOOT_USAGE, SELFTEST_USAGE, UPDATE_USAGE } from './unit-usage.ts';

const WAIT_S = 300;
const CHANGE_OPTIONS = { ...JSON_OPTIONS, wait: { type: 'string' } } as const;
const LOOK_MS = 500;

export const selftest = defineCommand({
  usage: SELFTEST_USAGE,
  words: ['SERIAL'],
  options: JSON_OPTIONS,
  async run({ words: [serial], values }) {
    const report = await call<SelftestReport>(serviceOf(values), serial, 'selftest', undefined);
    if (report === undefined) return 1;
    if (values.json === true) printJson(report);
    else for (const line of reportLines(report)) process.stdout.write(`${printable(line)}\n`);
    return report.passed === false ? 1 : 0;
  },
});

export const update = defineCommand({
  usage: UPDATE_USAGE,
  words: ['SERIAL'],
  options: { ...CHANGE_OPTIONS, image: { type: 'string' }, version: { type: 'string' } },
  async run({ words: [serial], values }) {
    const { image, version } = values;
    if (image === undefined) throw new WrongUsage('--image is missing');
    if (version === undefined) throw new WrongUsage('--version is missing');
    return change('update', serial, values, { image, version });
  },
});

export const reboot = defineCommand({
  usage: REBOOT_USAGE,
  words: ['SERIAL'],
  options: CHANGE_OPTIONS,
  run: ({ words: [serial], values }) => change('reboot', serial, values),
});

/** Units of others may say what they want: nothing is there because it should be. */
export function reportLines(report: Partial<SelftestReport>): string[] {
  const { checks, passed } = report;
  if (!Array.isArray(checks)) return [jsonText(report)];
  const width = Math.max(0, ...checks.map(({ name }) => `${name}`.length));
  const lines = checks.map(({ name, passed: isFine, detail = '' }) =>
    `${isFine ? 'ok    ' : 'FAILED'}  ${`${name}`.padEnd(width)}  ${detail}`.trimEnd(),
  );
  return [...lines, passed === false ? 'the self-test FAILED' : 'the self-test passed'];
}

async function change(
  verb: 'update' | 'reboot',
  serial: string,
  values: ValuesOf<typeof CHANGE_OPTIONS>,
  body?: { readonly image: string; readonly version: string },
): Promise<number> {
  const { wait = `${WAIT_S}`, json } = values;
  if (!/^\d+$/.test(wait)) throw new WrongUsage(`--wait takes whole seconds, not ${JSON.stringify(wait)}`);
  const service = serviceOf(values);
  const before = await unitOf(service, serial);
  const shown = new Shown();
  const progress = new UnitProgress(before, body?.version);
  const asked = { under: true };
  const watching = watch(
    () => asked.under,
    service,
    serial,
    (unit) => shown.show(progress.step(unit).text),
  );
  const reply = await call<object>(service, serial, verb, body, () => shown.end()).finally(() => {
    asked.under = false;
  });
  await watching;
  if (reply === undefined) return 1;
  shown.end();
  if (json === true) printJson(reply);
  else process.stdout.write(`${jsonText(reply)}\n`);
  return wait === '0' ? 0 : untilBack(service, serial, { progress, shown, waitMs: Number(wait) * 1_000 });
}

async function untilBack(
  service: Service,
  serial: string,
  { progress, shown, waitMs }: { progress: UnitProgress; shown: Shown; waitMs: number },
): Promise<number> {
  const end = realClock.monotonic() + waitMs;
  let code = 1;
  let isOver = false;
  const goesOn = (): boolean => !isOver && realClock.monotonic() < end;
  await watch(goesOn, service, serial, (unit) => {
    const step = progress.step(unit);
    shown.show(step.text);
    isOver = step.end !== undefined;
    if (step.end === 'done') code = 0;
  });
  shown.end();
  if (!isOver) process.stderr.write(`${serial} was not back within ${waitMs / 1_000} s\n`);
  return code;
}

/** Looks at the unit twice a second; what cannot be read now is read a moment later. */
async function watch(
  goesOn: () => boolean,
  service: Service,
  serial: string,
  look: (unit: UnitView | undefined) => void,
): Promise<void> {
  const never = new AbortController().signal;
  while (goesOn()) {
    const fleet = await ask<UnitList>(service, 'GET', '/v1/units').catch(() => undefined);
    if (fleet?.ok === true && goesOn()) look(fleet.reply.units.find((unit) => unit.serial === serial));
    if (goesOn()) await pause(LOOK_MS, never);
  }
}

async function unitOf(service: Service, serial: string): Promise<UnitView | undefined> {
  const fleet = await ask<UnitList>(service, 'GET', '/v1/units');
  return fleet.ok ? fleet.reply.units.find((unit) => unit.serial === serial) : undefined;
}

/** The reply of the unit; undefined after the refusal has been printed. */
async function call<Reply>(
  service: Service,
  serial: string,
  verb: string,
  body: object | undefined,
  clear: () => void = () => undefined,
): Promise<Reply | undefined> {
  const path = `/v1/units/${encodeURIComponent(serial)}/${verb}`;
  const answer = await ask<Reply>(service, 'POST', path, body);
  if (answer.ok) return answer.reply;
  clear();
  for (const fault of answer.faults) process.stderr.write(`${faultLine(fault)}\n`);
  return undefined;
}

/** C1 */
class Shown {
  readonly #inPlace = process.stderr.isTTY === true && process.env.TERM !== 'dumb';
  #last = '';

  show(text: string): void {
    if (text === this.#last) return;
    this.#last = text;
    process.stderr.write(this.#inPlace ? `\r\u001b[2K${printable(text)}` : `${printable(text)}\n`);
  }

  end(): void {
    if (this.#inPlace && this.#last !== '') process.stderr.write('\n');
    this.#last = '';
  }
}
