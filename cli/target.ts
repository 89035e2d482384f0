/** `mcs target list`: the targets of the mission. A thin client of `GET /v1/mission`. */

import type { MissionTarget, MissionView } from '../contract/mission-view.ts';
import { realClock } from '../supervision/clock.ts';
import { Columns, printColumns } from './columns.ts';
import { defineCommand, defineVerbs } from './command.ts';
import { printJson } from './print-json.ts';
import { request } from './request.ts';
import { hasColour } from './run-follow.ts';
import { serviceOf } from './service.ts';
import { JSON_OPTIONS } from './table-options.ts';

const LISTED = ['TARGET', 'PLATFORM', 'ENVIRONMENTS', 'LINKS', 'MODES'] as const;
type TargetColumn = (typeof LISTED)[number];

const CELLS: Readonly<Record<TargetColumn, (target: MissionTarget) => string>> = {
  TARGET: ({ target }) => target,
  PLATFORM: ({ platform }) => platform,
  ENVIRONMENTS: ({ environments }) => environments.join(', '),
  LINKS: ({ links, default_link }) =>
    links.map((link) => (link === default_link && links.length > 1 ? `${link} (default)` : link)).join(', '),
  MODES: ({ modes }) => modes.join(', '),
};

const list = defineCommand({
  usage: `mcs target list [--json]
  the targets of the mission: their platforms, environments, links and modes
`,
  words: [],
  options: JSON_OPTIONS,
  async run({ values }) {
    const mission = await request<MissionView>(serviceOf(values), 'GET', '/v1/mission');
    if (mission === undefined) return 1;
    if (values.json === true) printJson(mission.targets);
    else printTargets(mission.targets);
    return 0;
  },
});

export const target = defineVerbs('target', { list });

function printTargets(targets: readonly MissionTarget[]): void {
  const columns = new Columns<TargetColumn, MissionTarget>({
    columns: LISTED,
    cell: (column, each) => CELLS[column](each),
    tone: () => undefined,
    right: [],
    spared: ['LINKS', 'ENVIRONMENTS', 'PLATFORM'],
  });
  printColumns(columns, targets, { now: realClock.now(), colour: hasColour(), elsewhere: '--json' });
  if (targets.length === 0) process.stderr.write('no targets\n');
}
