/**
 * `mcs values`: the past of values (values-history.ts, values-export.ts), and `watch`: the current values of a target
 * as they change. In a terminal a table that is drawn in place, elsewhere a line for each value. A thin client of the
 * values routes. Mission Control Service, section 4.1 rule 10.
 */

import type { CatalogueView } from '../contract/catalogue.ts';
import { nearHelp } from '../contract/near.ts';
import type { CurrentValue } from '../contract/value.ts';
import { nameOfSelector, parseSelectors, type Selector } from '../mission/selector.ts';
import { defineCommand, defineVerbs, loadedWhenCalled } from './command.ts';
import { followInLines, whenEnded } from './followed.ts';
import { showLive } from './live-view.ts';
import { EXPORT_USAGE, HISTORY_USAGE } from './past-usage.ts';
import { printJsonLine } from './print-json.ts';
import { request } from './request.ts';
import { hasColour } from './run-follow.ts';
import { serviceOf } from './service.ts';
import { JSON_OPTIONS } from './table-options.ts';
import { measureOf, measuresByName, unmatched, ValuesTable, valueLine } from './values-table.ts';

const WATCH_USAGE = `mcs values watch TARGET [SELECTOR …] [--json]
  current values as they change: a table in a terminal, elsewhere a line for each; --json: one JSON in a line
  SELECTOR: measure, component.measure or component[instance].measure; without one every measure
`;

const watch = defineCommand({
  usage: WATCH_USAGE,
  words: ['TARGET'],
  rest: 'SELECTOR',
  options: JSON_OPTIONS,
  async run({ words: [target], rest: selectors, values: given }) {
    const service = serviceOf(given);
    const about = `/v1/targets/${encodeURIComponent(target)}`;
    const catalogue = await request<CatalogueView>(service, 'GET', `${about}/catalogue`);
    if (catalogue === undefined) return 1;
    const measures = selectors.join(',');
    if (!namesMeasures(target, catalogue, measures)) return 1;
    const table = new ValuesTable(catalogue, measures);
    const path = `${about}/values/watch?${new URLSearchParams({ measures })}`;
    const ended = whenEnded();
    const json = given.json === true;
    if (json || !process.stdout.isTTY || process.env.TERM === 'dumb') {
      const known = measuresByName(catalogue);
      const show = (value: CurrentValue): void =>
        void process.stdout.write(`${valueLine(value, measureOf(value, known))}\n`);
      return followInLines<CurrentValue>(service, path, ended, json ? printJsonLine : show);
    }
    const title = titleOf(target, catalogue, table);
    return showLive({ service, path, ended, colour: hasColour(), table, title });
  },
});

/** Those who watch need nothing of what reads the past. */
export const values = defineVerbs('values', {
  watch,
  history: loadedWhenCalled(HISTORY_USAGE, async () => (await import('./values-history.ts')).history),
  export: loadedWhenCalled(EXPORT_USAGE, async () => (await import('./values-export.ts')).exportPast),
});

/** False, and why on stderr, where a selector names nothing; what is no selector the service refuses. */
function namesMeasures(target: string, catalogue: CatalogueView, selectors: string): boolean {
  const parsed = parseSelectors(selectors);
  const none = parsed.ok ? unmatched(catalogue, parsed.value) : [];
  for (const selector of none) {
    const help = nearHelp(nameOfSelector(selector), namesOf(catalogue, selector), 'measures');
    process.stderr.write(
      `mcs: ${target} has no measure ${JSON.stringify(nameOfSelector(selector))}: ${help}\n`,
    );
  }
  return none.length === 0;
}

/** As the selector is written: with its component, or the measure alone. */
function namesOf({ components }: CatalogueView, { component }: Selector): Set<string> {
  return new Set(
    components.flatMap(({ name, measures }) =>
      measures.map((measure) => (component === undefined ? measure.name : `${name}.${measure.name}`)),
    ),
  );
}

function titleOf(target: string, catalogue: CatalogueView, table: ValuesTable) {
  return (state: string, now: number): string => {
    const time = `${new Date(now).toISOString().slice(11, 19)}Z`;
    const received = `${table.heard} of ${table.known} measures received`;
    return [target, state, time, received, catalogue.platform].join('  ');
  };
}
