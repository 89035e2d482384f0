/**
 * A bus that has seen much, made in minutes: what the service leaves behind of one telecommand, run, alarm or transfer,
 * as often as is wanted.
 *
 * L1. Nothing is awaited one by one: appends are as many at once as a connection takes.
 */

import { ulid } from 'ulid';
import { alarmKey } from '../../contract/alarm-name.ts';
import { buckets } from '../../contract/bus/buckets.ts';
import { header } from '../../contract/bus/headers.ts';
import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import { NEVER_EVALUATED } from '../../machines/alarm/record.ts';
import type { Bus, Headers } from '../../ports/bus.ts';

const AT_ONCE = 512;
const HOUR_MS = 3_600_000;
/** What is over was over for so long at least. */
const AGO_MS = 24 * HOUR_MS;
const AT = new Date(Date.now() - AGO_MS).toISOString();

/** Runs `put` for each number from 0, `AT_ONCE` at a time; the first failure rejects. */
export async function inBulk(count: number, put: (n: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) {
      next += 1;
      await put(next - 1);
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, count) }, worker));
}

const bytes = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value));

/** An identifier that nobody else has, drawn a day ago; the same for the same number. */
export function idOf(n: number, letter = '0'): string {
  return `${ulid(Date.parse(AT)).slice(0, 10)}${letter}${String(n).padStart(15, '0')}`;
}

interface Telecommands {
  readonly targets: readonly string[];
  readonly count: number;
}

/** What has left, and with it the states it went through, as lanes write them. */
const THROUGH: Readonly<Record<string, readonly string[]>> = {
  finished: ['PENDING', 'ENCODED', 'SENT', 'COMPLETE'],
  open: ['PENDING', 'ENCODED', 'SENT'],
};
/** Nothing has been received since: their verification has nothing to read. */
const HEADERS: Readonly<Record<string, Headers>> = {
  ENCODED: { [header.frame]: 'c0ffee' },
  SENT: { [header.handed]: JSON.stringify({ frames: 0, decoded: 0, values: 0 }) },
};

/** Telecommands that changed nothing and are over, spread over the targets. */
export function finishedTelecommands(bus: Bus, { targets, count }: Telecommands): Promise<void> {
  return inBulk(count, (n) =>
    telecommand(bus, {
      id: idOf(n),
      target: targets[n % targets.length]!,
      of: 'camera.ping',
      as: 'finished',
    }),
  );
}

/** Telecommands that have left and wait for their verification. */
export function openTelecommands(bus: Bus, { targets, count }: Telecommands): Promise<void> {
  return inBulk(count, (n) =>
    telecommand(bus, {
      id: idOf(n, '1'),
      target: targets[n % targets.length]!,
      of: 'power.switch',
      as: 'open',
    }),
  );
}

interface Filled {
  readonly id: string;
  readonly target: string;
  readonly of: string;
  readonly as: 'finished' | 'open';
}

async function telecommand(bus: Bus, { id, target, of, as }: Filled): Promise<void> {
  const [component, name] = of.split('.');
  const args = of === 'power.switch' ? { channel: 1, on: true } : {};
  const submission = { id, target, component, telecommand: name, args, link: 'uhf' };
  await bus.append(streams.telecommands, subject.tcSubmit(target), bytes(submission), { id });
  const at = as === 'open' ? new Date().toISOString() : AT;
  for (const state of THROUGH[as]!)
    await bus.append(streams.telecommandEvents, subject.tcEvent(target, id), bytes({ tc: id, state, at }), {
      id: `${id}-${state}`,
      headers: HEADERS[state] ?? {},
    });
}

/** Runs that are over: submission, log, report, and the entry of the list. */
export function finishedRuns(bus: Bus, ir: string, count: number): Promise<void> {
  const about = { procedure: 'benchmark', environment: 'bench', targets: {}, by: 'ada' };
  const facts: readonly object[] = [
    { event: 'started', library: 'benchmark@1.0.0', ir, inputs: {}, ...about },
    { event: 'procedure_started', path: 'benchmark' },
    { event: 'step_started', path: 's1', attempt: 1, inputs: {} },
    { event: 'step_finished', path: 's1', outcome: 'succeeded' },
    { event: 'finished', outcome: 'succeeded' },
  ];
  return inBulk(count, async (n) => {
    const run = idOf(n, '2');
    await bus.append(streams.runSubmissions, subject.runSubmit, bytes({ run, ir }), { id: run });
    for (const [at, fact] of facts.entries())
      await bus.append(streams.runs, subject.runEvents(run), bytes({ run, seq: at + 1, at: AT, ...fact }), {
        id: `${run}-${at + 1}`,
      });
    const entry = { run, ...about, suspended: false, outcome: 'succeeded', started_at: AT, updated_at: AT };
    await bus.bucket(buckets.runs).put(run, bytes(entry), 0);
  });
}

/** Transitions of one alarm of each target, with the record that the last of each leaves. */
export async function alarmEvents(bus: Bus, { targets, count }: Telecommands): Promise<void> {
  await inBulk(count, async (n) => {
    const target = targets[n % targets.length]!;
    const seq = 1 + Math.floor(n / targets.length);
    const name = { target, component: 'battery', instance: '1', alarm: 'voltage' };
    await bus.append(
      streams.alarms,
      subject.alarmEvent(name),
      bytes({ ...name, ...transition(seq), at: AT }),
      {
        id: `${target}.battery.1.voltage-${seq}`,
      },
    );
  });
  await inBulk(Math.min(targets.length, count), async (n) => {
    const seq = 1 + Math.floor((count - 1 - n) / targets.length);
    await alarmRecord(bus, `${targets[n]}.battery.1.voltage`, seq);
  });
}

/** Records of alarms of one measure each that nobody has any more; they stay until somebody acknowledges them. */
export function alarmRecords(bus: Bus, { targets, count }: Telecommands): Promise<void> {
  return inBulk(count, (n) => alarmRecord(bus, `${targets[n % targets.length]}.battery.1.a${n}`, 1));
}

/**
 * The same of alarms that are normal again, with their events: a year leaves one of each alarm that was ever raised.
 */
export function calmAlarmRecords(bus: Bus, { targets, count }: Telecommands): Promise<void> {
  return inBulk(count, async (n) => {
    const name = {
      target: targets[n % targets.length]!,
      component: 'battery',
      instance: '1',
      alarm: `c${n}`,
    };
    for (const seq of [1, 2]) {
      const event = bytes({ ...name, ...transition(seq), at: AT });
      await bus.append(streams.alarms, subject.alarmEvent(name), event, { id: `${alarmKey(name)}-${seq}` });
    }
    await alarmRecord(bus, alarmKey(name), 2);
  });
}

function alarmRecord(bus: Bus, key: string, seq: number): Promise<unknown> {
  const record = { ...transition(seq), active_since: AT, changed_at: AT };
  return bus.bucket(buckets.alarms).put(key, bytes({ record, epoch: 0, evaluated: NEVER_EVALUATED }), 0);
}

function transition(seq: number): object {
  const raised = seq % 2 === 1;
  const [previous, state] = raised ? ['NORMAL', 'ACTIVE_UNACK'] : ['ACTIVE_UNACK', 'NORMAL'];
  return { previous, state, seq, cause: 'condition', ...(raised && { severity: 'warning', value: 6.2 }) };
}

/** Programs that no run names any more, until their time is over. */
export function oldPrograms(bus: Bus, count: number): Promise<void> {
  return inBulk(count, (n) => bus.bucket(buckets.programs).put(`old-${n}`, bytes({ n }), 0));
}
