/**
 * `mcs values watch`: the current values of a target as they change. In a terminal a table that is drawn in place,
 * elsewhere a line for each value. A thin client of the values routes. Mission Control Service, section 4.1 rule 10.
 */

import { parseArgs } from 'node:util';
import type { CatalogueView } from '../contract/catalogue.ts';
import type { CurrentValue } from '../contract/value.ts';
import { followInLines, whenEnded } from './followed.ts';
import { showLive } from './live-view.ts';
import { request } from './request.ts';
import { hasColour } from './run-follow.ts';
import { SERVICE_OPTIONS, SERVICE_USAGE, serviceOf } from './service.ts';
import { measureOf, measuresByName, ValuesTable, valueLine } from './values-table.ts';

const USAGE = `mcs values watch TARGET [SELECTOR …]
  SELECTOR: measure, component.measure or component[instance].measure; without one every measure
${SERVICE_USAGE}`;

export async function values([verb, ...args]: string[]): Promise<number> {
  const parsed = parseArgs({ args, allowPositionals: true, options: SERVICE_OPTIONS });
  const [target, ...selectors] = parsed.positionals;
  if (verb !== 'watch' || target === undefined) {
    process.stderr.write(USAGE);
    return 2;
  }
  const service = serviceOf(parsed.values);
  const about = `/v1/targets/${encodeURIComponent(target)}`;
  const catalogue = await request<CatalogueView>(service, 'GET', `${about}/catalogue`);
  if (catalogue === undefined) return 1;
  const measures = selectors.join(',');
  const path = `${about}/values/watch?${new URLSearchParams({ measures })}`;
  const ended = whenEnded();
  if (!process.stdout.isTTY || process.env.TERM === 'dumb') {
    const known = measuresByName(catalogue);
    const show = (value: CurrentValue): void =>
      void process.stdout.write(`${valueLine(value, measureOf(value, known))}\n`);
    return followInLines(service, path, ended, show);
  }
  const table = new ValuesTable(catalogue, measures);
  const title = titleOf(target, catalogue, table);
  return showLive({ service, path, ended, colour: hasColour(), table, title });
}

function titleOf(target: string, catalogue: CatalogueView, table: ValuesTable) {
  return (state: string, now: number): string => {
    const time = `${new Date(now).toISOString().slice(11, 19)}Z`;
    const received = `${table.heard} of ${table.known} measures received`;
    return [target, state, time, received, catalogue.platform].join('  ');
  };
}
