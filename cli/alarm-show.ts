/**
 * `mcs alarm show`: everything that is recorded of one alarm, and what its reactions do. A thin client of
 * `GET /v1/alarms`. Mission Control Service, section 2.4.
 */

import type { Alarm, AlarmList } from '../contract/alarm.ts';
import { alarmPath } from '../contract/alarm-name.ts';
import { CHOICES } from '../contract/run.ts';
import { answerCommand } from '../contract/run-words.ts';
import { reactionLine, timeOf } from './alarm-line.ts';
import { defineCommand } from './command.ts';
import { type Field, fieldLines } from './fields.ts';
import { printJson } from './print-json.ts';
import { printable } from './printable.ts';
import { request } from './request.ts';
import { serviceOf } from './service.ts';
import { JSON_OPTIONS } from './table-options.ts';
import { valueText } from './value-text.ts';

const SHOW_USAGE = `mcs alarm show TARGET ALARM [--json]
  its record and its reactions under way
  ALARM: component.alarm or component[instance].alarm, as in battery[1].voltage
`;

export const show = defineCommand({
  usage: SHOW_USAGE,
  words: ['TARGET', 'ALARM'],
  options: JSON_OPTIONS,
  async run({ words: [target, name], values }) {
    const query = new URLSearchParams({ target, all: 'true' });
    const list = await request<AlarmList>(serviceOf(values), 'GET', `/v1/alarms?${query}`);
    if (list === undefined) return 1;
    const alarm = list.alarms.find((each) => alarmPath(each) === name);
    if (alarm === undefined) {
      process.stderr.write(
        `no alarm ${printable(name)} of ${printable(target)} was ever raised: mcs alarm list ${printable(target)} --all\n`,
      );
      return 1;
    }
    if (values.json === true) printJson(alarm);
    else process.stdout.write(`${alarmLines(alarm).join('\n')}\n`);
    return 0;
  },
});

/** The record, and a line for each reaction with how its decision is taken. */
export function alarmLines(alarm: Alarm): string[] {
  const { record, target, reactions = [] } = alarm;
  const fields: Field[] = [
    ['state', `${record.state}, was ${record.previous}`],
    ['severity', record.severity],
    ['value', record.value === undefined ? undefined : valueText(record.value)],
    ['since', momentOf(record.active_since)],
    ['changed', momentOf(record.changed_at)],
    ['cause', record.by === undefined ? record.cause : `${record.cause}, by ${record.by}`],
    ['shelved', record.shelved_until && `until ${timeOf(record.shelved_until)}`],
    ['transitions', String(record.seq)],
    ...reactions.flatMap((reaction): Field[] => [
      ['reaction', reactionLine(target, reaction)],
      ['', decideWith(reaction)],
    ]),
  ];
  return [`${target}  ${alarmPath(alarm)}`, ...fieldLines(fields)].map(printable);
}

function decideWith({ run, state, question }: NonNullable<Alarm['reactions']>[number]): string | undefined {
  if (run === undefined || state !== 'waiting_for_decision') return undefined;
  return `decide: ${answerCommand(run, CHOICES.join('|'), question)}`;
}

function momentOf(text: string | undefined): string | undefined {
  return text === undefined ? undefined : timeOf(text);
}
