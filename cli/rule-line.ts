/**
 * Recurring rules as columns, and what each has refused. Pure but for the zone, as `pass-look.ts`. Mission Control
 * Service, section 2.7.
 *
 * R1. What a rule could not make stands under it with why: the earliest ones, and how many there are more.
 */

import type { Rule, RuleFilter } from '../contract/schedule-rule.ts';
import { Columns } from './columns.ts';
import { momentText } from './pass-look.ts';
import { printable } from './printable.ts';

const LISTED = [
  'RULE',
  'TARGET',
  'START',
  'PROCEDURE',
  'MATCHED',
  'CREATED',
  'REFUSED',
  'BY',
  'PASSES',
] as const;
type RuleColumn = (typeof LISTED)[number];

const SPARED = ['BY', 'START', 'TARGET'] as const;
/** R1 */
const REFUSALS_SHOWN = 3;

export function ruleColumns(): Columns<RuleColumn, Rule> {
  return new Columns({
    columns: LISTED,
    cell: cellOf,
    tone: ({ passes }) => (passes.refused_count > 0 ? 'red' : undefined),
    right: ['MATCHED', 'CREATED', 'REFUSED'],
    spared: SPARED,
  });
}

/** What a pass must be, in words. */
export function filterText(filter: RuleFilter = {}): string {
  const { status, min_elevation: least, station, uplink } = filter;
  const parts = [
    status,
    uplink === undefined ? undefined : uplink ? 'with uplink' : 'RX only',
    least === undefined ? undefined : `as high as ${least}`,
    station === undefined ? undefined : `over ${station}`,
  ];
  const said = parts.filter((part) => part !== undefined);
  return said.length === 0 ? 'every pass' : said.join(', ');
}

/** R1; empty where nothing was refused. */
export function refusalLines({ id, passes: { refused, refused_count } }: Rule, local: boolean): string[] {
  const lines = refused
    .slice(0, REFUSALS_SHOWN)
    .map(
      ({ pass, reasons, at }) =>
        `${id}: no schedule on ${pass}: ${reasons.join('; ')} (${momentText(at, local)})`,
    );
  const left = refused_count - lines.length;
  if (left > 0)
    lines.push(
      `${id}: no schedule on ${left} more (mcs rule list --json has ${refused.length} with their reasons)`,
    );
  return lines.map(printable);
}

function cellOf(column: RuleColumn, rule: Rule): string {
  const { matched, created, refused_count } = rule.passes;
  switch (column) {
    case 'RULE':
      return rule.id;
    case 'TARGET':
      return rule.target;
    case 'START':
      return rule.start;
    case 'PROCEDURE':
      return rule.run;
    case 'MATCHED':
      return `${matched}`;
    case 'CREATED':
      return `${created}`;
    case 'REFUSED':
      return `${refused_count}`;
    case 'BY':
      return rule.by ?? '-';
    case 'PASSES':
      return filterText(rule.filter);
  }
}
