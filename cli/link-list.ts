/**
 * `mcs link list`: the links of a target, who serves each, and whether it has the current mode and parameters. A thin
 * client of `GET /v1/links/{target}`. Mission Control Service, section 4.3.
 */

import type { LinkEnd, LinksView } from '../contract/links-view.ts';
import { printJson } from './print-json.ts';
import { printable } from './printable.ts';
import { request } from './request.ts';
import type { Service } from './service.ts';

/** Shows them; 1 when the service refuses. */
export async function listLinks(service: Service, target: string, json = false): Promise<number> {
  const view = await request<LinksView>(service, 'GET', `/v1/links/${encodeURIComponent(target)}`);
  if (view === undefined) return 1;
  if (json) printJson(view);
  else process.stdout.write(`${linkLines(view).join('\n')}\n`);
  return 0;
}

/** A line for each driver and gateway, under one that says what they should know. */
export function linkLines({ target, mode, links }: LinksView): string[] {
  const title = `${target}  ${mode === null ? 'has no modes' : `mode ${mode}`}`;
  const rows = links.flatMap(({ link, default: isDefault, driver, gateways, reason }) => {
    const ends = [
      driver === null ? ['driver', 'none', '', ''] : ['driver', ...cells(driver)],
      ...gateways.map((each) => ['gateway', ...cells(each)]),
      ...(reason === undefined ? [] : [['gateway', 'NONE', 'in orbit', reason]]),
    ];
    return ends.map((end, row) => [row === 0 ? `${link}${isDefault ? ' (default)' : ''}` : '', ...end]);
  });
  const widths = [0, 1, 2, 3].map((column) => Math.max(0, ...rows.map((row) => row[column]!.length)));
  const lines = rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '));
  return [title, ...lines].map((line) => printable(line.trimEnd()));
}

function cells({ name, environments, state, reason, pass, ...told }: LinkEnd): string[] {
  const where = environments === undefined ? '' : `in ${environments.join(', ')}`;
  const during = pass === undefined ? '' : `during pass ${pass}`;
  const facts = [boundText(told), where, during, reason ?? ''].filter((fact) => fact !== '');
  return [name, state, facts.join('; ')];
}

/** In capitals what a person has to see. */
function boundText({ bound, mode }: Pick<LinkEnd, 'bound' | 'mode'>): string {
  if (bound === undefined) return '';
  if (bound === 'current') return 'has the current mode and parameters';
  if (bound === 'never') return 'NEVER received mode and parameters';
  return `OUTDATED: has ${mode === null || mode === undefined ? 'no mode' : `mode ${mode}`}`;
}
