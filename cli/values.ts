/**
 * `mcs values watch`: the current values of a target as they change. In a terminal a table that is drawn in place,
 * elsewhere a line for each value. A thin client of the values routes. Mission Control Service, section 4.1 rule 10.
 */

import { parseArgs } from 'node:util';
import type { CatalogueView } from '../contract/catalogue.ts';
import type { CurrentValue } from '../contract/value.ts';
import { followOnce, pause, whenEnded } from './followed.ts';
import { request } from './request.ts';
import { hasColour } from './run-follow.ts';
import { SERVICE_OPTIONS, SERVICE_USAGE, type Service, serviceOf } from './service.ts';
import { showLive } from './values-live.ts';
import { measuresByName, nameOf, valueLine } from './values-table.ts';

const USAGE = `mcs values watch TARGET [SELECTOR …]
  SELECTOR: measure, component.measure or component[instance].measure; without one every measure
${SERVICE_USAGE}`;
/** A service that restarts is back within seconds. */
const AGAIN_MS = 1_000;

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
    return printLines(service, path, catalogue, ended);
  }
  return showLive({ service, target, catalogue, selectors: measures, path, ended, colour: hasColour() });
}

async function printLines(
  service: Service,
  path: string,
  catalogue: CatalogueView,
  { signal }: AbortController,
): Promise<number> {
  const measures = measuresByName(catalogue);
  const show = (value: CurrentValue): void =>
    void process.stdout.write(`${valueLine(value, measures.get(nameOf(value)))}\n`);
  let reported = '';
  for (let first = true; !signal.aborted; first = false) {
    const outcome = await followOnce<CurrentValue>(service, path, signal, show);
    if (signal.aborted) break;
    const said = outcome.kind === 'over' ? 'the service closed' : outcome.said;
    if (outcome.kind === 'refused' || (first && outcome.kind === 'lost' && !outcome.opened)) {
      process.stderr.write(`${said}\n`);
      return 1;
    }
    // Once for each reason, not once for each try.
    if (said !== reported) process.stderr.write(`-- ${said}; trying again\n`);
    reported = said;
    await pause(AGAIN_MS, signal);
  }
  return 0;
}
