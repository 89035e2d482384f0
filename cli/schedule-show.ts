/**
 * `mcs schedule show`: everything of one schedule, its pass, and where the run is that it started. A thin client of
 * `GET /v1/schedules/{id}`, of its pass and of its run. Mission Control Service, section 2.7.
 */

import type { PassView } from '../contract/pass.ts';
import type { RunStatus } from '../contract/run.ts';
import type { Schedule, ScheduleValidation } from '../contract/schedule.ts';
import { FINAL_STATES } from '../contract/stored-schedule.ts';
import { realClock } from '../supervision/clock.ts';
import { defineCommand } from './command.ts';
import { fieldLines } from './fields.ts';
import { statusText } from './pass-columns.ts';
import { momentText } from './pass-look.ts';
import { jsonText, printable } from './printable.ts';
import { ask, request } from './request.ts';
import { stateOf } from './run-line.ts';
import { countdown, stateText } from './schedule-columns.ts';
import { type Service, serviceOf } from './service.ts';
import { shapeOf, TABLE_OPTIONS } from './table-options.ts';

const SHOW_USAGE = `mcs schedule show ID [--json] [--utc | --local]
  why it is in its state, its validation, and where its run is
`;

/** A schedule with what is read beside it, each undefined where the service knows none. */
export interface ShownSchedule {
  readonly schedule: Schedule;
  readonly pass?: PassView | undefined;
  readonly run?: RunStatus | undefined;
}

interface Reading {
  readonly local: boolean;
  readonly now: number;
}

export const show = defineCommand({
  usage: SHOW_USAGE,
  words: ['ID'],
  options: TABLE_OPTIONS,
  async run({ words: [id], values }) {
    const shape = shapeOf(values);
    const service = serviceOf(values);
    const schedule = await request<Schedule>(service, 'GET', `/v1/schedules/${encodeURIComponent(id)}`);
    if (schedule === undefined) return 1;
    if (shape.json) process.stdout.write(`${jsonText(schedule, 2)}\n`);
    else {
      const reading = { local: shape.local, now: realClock.now() };
      process.stdout.write(`${scheduleLines(await shownWith(service, schedule), reading).join('\n')}\n`);
    }
    return 0;
  },
});

async function shownWith(service: Service, schedule: Schedule): Promise<ShownSchedule> {
  const { target, pass, run_id: run } = schedule;
  const name = [target, pass].map(encodeURIComponent).join('/');
  return {
    schedule,
    pass: await known<PassView>(service, `/v1/passes/${name}`),
    run: run === undefined ? undefined : await known<RunStatus>(service, `/v1/runs/${run}`),
  };
}

async function known<Reply>(service: Service, path: string): Promise<Reply | undefined> {
  const answer = await ask<Reply>(service, 'GET', path);
  return answer.ok ? answer.reply : undefined;
}

/** The lines, without their ends. */
export function scheduleLines({ schedule, pass, run }: ShownSchedule, reading: Reading): string[] {
  const { id, reasons, warnings = [], start, environment, library, inputs, by, updated_at } = schedule;
  const { local, now } = reading;
  const over = FINAL_STATES.has(schedule.state);
  const lines = [
    id,
    ...fieldLines([
      ['state', stateText(schedule)],
      ...reasons.map((reason, index) => [index === 0 ? 'because' : '', reason] as const),
      ...warnings.map((warning, index) => [index === 0 ? 'warning' : '', warning] as const),
      ['start', start],
      [
        over ? 'was due' : 'starts',
        `${momentText(schedule.fire_at, local)}${over ? '' : `  (${countdown(schedule, now)})`}`,
      ],
      ['pass', `${schedule.pass} of ${schedule.target}`],
      ['', passText(pass, local)],
      ['procedure', `${schedule.run}${library === undefined ? '' : ` of ${library}`}`],
      ['targets', pairsText(schedule.targets)],
      ['inputs', inputs === undefined ? undefined : pairsText(inputs)],
      ['environment', environment],
      ['at most', schedule.max_duration],
      ['sends', schedule.sends ? 'telecommands' : 'no telecommands'],
      ['validation', validationText(schedule, local)],
      ['run', runText(schedule, run)],
      ['written', `${by === undefined ? '' : `by ${by} `}at ${momentText(updated_at, local)}`],
    ]),
  ];
  return lines.map(printable);
}

function windowText({ aos, los }: { readonly aos: string; readonly los: string }, local: boolean): string {
  return `AOS ${momentText(aos, local)}, LOS ${momentText(los, local)}`;
}

function passText(view: PassView | undefined, local: boolean): string {
  if (view === undefined) return 'not stored any more';
  const { pass } = view;
  return `${statusText(pass)} over ${pass.station}, ${windowText(pass, local)}`;
}

function pairsText(pairs: Readonly<Record<string, unknown>>): string {
  return Object.entries(pairs)
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ');
}

function validationText(
  { id, state, needs_validation: needed, validation }: Schedule,
  local: boolean,
): string {
  if (validation !== undefined) return heldText(validation, local);
  if (!needed) return 'not needed';
  return FINAL_STATES.has(state) ? 'none' : `NEEDED, by a supervisor: mcs schedule validate ${id}`;
}

function heldText(validation: ScheduleValidation, local: boolean): string {
  const { by, at } = validation;
  return `by ${by} at ${momentText(at, local)}, for ${windowText(validation, local)}`;
}

function runText({ run_id: id }: Schedule, run: RunStatus | undefined): string | undefined {
  if (id === undefined) return undefined;
  if (run === undefined) return `${id}  not known to the service any more`;
  const { step, reason } = run;
  const state = stateOf({ ...run, ...(step !== undefined && { started_at: step }) });
  const at = run.finished === undefined && step !== undefined ? ` at ${step}` : '';
  return `${id}  ${state}${at}${reason === undefined ? '' : `: ${reason}`}  (mcs run follow ${id})`;
}
