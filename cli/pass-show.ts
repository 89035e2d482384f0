/**
 * `mcs pass show`: everything that is stored of one pass, and what each source says of it. A thin client of
 * `GET /v1/passes/{target}/{id}`. Mission Control Service, section 2.6.
 */

import type { Pass, PassContribution, PassGateway, PassView } from '../contract/pass.ts';
import { realClock } from '../supervision/clock.ts';
import { defineCommand } from './command.ts';
import { fieldLines } from './fields.ts';
import { countdown, gatewayText, type PassRow, passRow, statusText } from './pass-columns.ts';
import { dayAndTime, lasting } from './pass-look.ts';
import { jsonText, printable } from './printable.ts';
import { request } from './request.ts';
import { serviceOf } from './service.ts';
import { shapeOf, TABLE_OPTIONS } from './table-options.ts';

const SHOW_USAGE = `mcs pass show TARGET PASS [--json] [--utc | --local]
  PASS: its identifier, or that of a contribution to it
`;

export const show = defineCommand({
  usage: SHOW_USAGE,
  words: ['TARGET', 'PASS'],
  options: TABLE_OPTIONS,
  async run({ words: [target, id], values }) {
    const shape = shapeOf(values);
    const path = `/v1/passes/${encodeURIComponent(target)}/${encodeURIComponent(id)}`;
    const view = await request<PassView>(serviceOf(values), 'GET', path);
    if (view === undefined) return 1;
    const text = shape.json
      ? jsonText(view, 2)
      : viewLines(view, { local: shape.local, now: realClock.now() }).join('\n');
    process.stdout.write(`${text}\n`);
    return 0;
  },
});

interface Reading {
  readonly local: boolean;
  readonly now: number;
}

/** The pass, its gateway, and a block for each contribution of a merged one. */
export function viewLines(view: PassView, reading: Reading): string[] {
  const { pass, gateway } = view;
  const row = passRow(view);
  const contributions = Object.values(pass.contributions ?? {});
  const lines = [
    `${pass.target}  ${pass.id}`,
    ...passFields(pass, row, reading, `  (${nextText(row, reading.now)})`),
    ...fieldLines([['gateway', checkText(gateway, reading)]]),
    ...contributions.flatMap((each) => [
      '',
      `as ${each.source} wrote it  ${each.id}`,
      ...blockLines(each, reading),
    ]),
  ];
  return lines.map(printable);
}

function blockLines(contribution: PassContribution, reading: Reading): string[] {
  return passFields(contribution, passRow({ pass: contribution }), reading, '');
}

function nextText(row: PassRow, now: number): string {
  return row.view.pass.status === 'cancelled' ? 'does not take place' : countdown(row, now);
}

function passFields(
  pass: Pass | PassContribution,
  { aosMs, losMs }: PassRow,
  { local }: Reading,
  next: string,
): string[] {
  const { uplink, transceiver, protocol, rates = {} } = pass;
  const rateText = Object.entries(rates).map(([way, rate]) => `${way} ${rate}`);
  return fieldLines([
    ['status', statusText(pass)],
    ['source', pass.source],
    ['station', pass.station],
    ['AOS', `${dayAndTime(aosMs, local).join(' ')}${next}`],
    ['LOS', dayAndTime(losMs, local).join(' ')],
    ['lasts', lasting(losMs - aosMs)],
    ['elevation', pass.max_elevation],
    ['uplink', uplink === false ? 'RX only: no telecommand is sent' : 'yes'],
    ['transceiver', transceiver],
    ['protocol', protocol],
    ['rates', rateText.length > 0 ? rateText.join(', ') : undefined],
    ['written', writtenText(pass, local)],
  ]);
}

function writtenText({ feeder, updated_at }: Pass | PassContribution, local: boolean): string | undefined {
  if (feeder === undefined || updated_at === undefined) return undefined;
  return `by ${feeder} at ${dayAndTime(Date.parse(updated_at), local).join(' ')}`;
}

function checkText(gateway: PassGateway | undefined, { local }: Reading): string {
  if (gateway === undefined) return 'not checked (it is from ten minutes before AOS on)';
  return `${gatewayText(gateway)} (checked ${dayAndTime(Date.parse(gateway.checked_at), local).join(' ')})`;
}
