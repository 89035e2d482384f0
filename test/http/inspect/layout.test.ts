/**
 * Every chart as it is laid out: it is a picture that a person reads without scrolling, and nothing of the chart is
 * missing in it.
 */

import { beforeAll, describe, expect, it } from 'vitest';
import type { AnyStateMachine } from 'xstate';
import type { ChartView } from '../../../contract/inspection.ts';
import type { ChartLayout, PlacedNode } from '../../../contract/inspector.ts';
import { layOut } from '../../../http/inspect/layout.ts';
import { alarmMachine } from '../../../machines/alarm/alarm.ts';
import { campaignMachine } from '../../../machines/bench/campaign.ts';
import { radioMachine } from '../../../machines/bench/radio.ts';
import { scenarioRunMachine } from '../../../machines/bench/scenario-run.ts';
import { runMachine } from '../../../machines/run/run.ts';
import { scheduleMachine } from '../../../machines/schedule/schedule.ts';
import { supervisorMachine } from '../../../machines/supervisor/supervisor.ts';
import { telecommandMachine } from '../../../machines/telecommand/telecommand.ts';
import { realClock } from '../../../supervision/clock.ts';
import { compileChart } from '../../../supervision/inspection/chart.ts';

/** Of the chart on the page at 1440 by 900, as measured there: beside the lists, and alone (`w`). */
const PANE = { width: 780, height: 713 } as const;
const ALONE = { width: 1440, height: 700 } as const;
const MARGIN_PX = 28;

/**
 * Least zooms at which the whole chart is seen. At 0.6 the text of a line is 7 px high; that of the run is smaller, its
 * names are read.
 */
const CHARTS: readonly [
  kind: string,
  machine: AnyStateMachine,
  pane: number,
  alone: number,
  arrows: number,
][] = [
  ['telecommand', telecommandMachine, 0.6, 0.6, 20],
  ['run', runMachine, 0.31, 0.49, 30],
  ['alarm', alarmMachine, 0.75, 0.8, 20],
  ['radio', radioMachine, 0.9, 0.9, 15],
  ['campaign', campaignMachine, 0.6, 0.75, 20],
  ['scenario-run', scenarioRunMachine, 0.6, 0.6, 20],
  ['schedule', scheduleMachine, 0.8, 0.8, 10],
  ['supervisor', supervisorMachine, 1, 1, 10],
];

function zoom({ width, height }: ChartLayout, pane: { width: number; height: number }): number {
  return Math.min((pane.width - MARGIN_PX) / width, (pane.height - MARGIN_PX) / height);
}

function overlap(one: PlacedNode, other: PlacedNode): boolean {
  const isApart = (a: number, sizeA: number, b: number, sizeB: number) => a + sizeA <= b || b + sizeB <= a;
  return !(
    isApart(one.x, one.width, other.x, other.width) || isApart(one.y, one.height, other.y, other.height)
  );
}

describe.each(CHARTS)('the chart of a %s', (kind, machine, pane, alone, arrows) => {
  let view: ChartView;
  let layout: ChartLayout;
  beforeAll(async () => {
    view = compileChart(kind, 1, machine).view;
    layout = await layOut(view, realClock);
  }, 30_000);

  it('is seen whole at a zoom at which it is read', () => {
    expect(zoom(layout, PANE)).toBeGreaterThanOrEqual(pane);
    expect(zoom(layout, ALONE)).toBeGreaterThanOrEqual(alone);
  });

  it('has few arrows, and each transition once: at an arrow or as a line of the state that it leaves', () => {
    const drawn = layout.edges.filter(({ points }) => points.length > 0);
    expect(new Set(drawn.map(({ points }) => JSON.stringify(points))).size).toBeLessThanOrEqual(arrows);
    for (const { id, source, event, points, label } of layout.edges) {
      const { lines } = layout.nodes.find((node) => node.id === source)!;
      const told = lines.filter(({ edge, text }) => edge === id || text.includes(event));
      if (points.length > 0) expect(label, id).toBeDefined();
      else if (event !== 'always') expect(told.length, id).toBeGreaterThan(0);
      else
        expect(
          lines.some(({ edge }) => edge === id),
          id,
        ).toBe(true);
    }
  });

  it('has no state over another one beside it, and each inside the one around it', () => {
    for (const node of layout.nodes) {
      const beside = layout.nodes.filter(({ id, parent }) => parent === node.parent && id !== node.id);
      expect(beside.filter((other) => node.width > 0 && overlap(node, other)).map(({ id }) => id)).toEqual(
        [],
      );
      const outer = layout.nodes.find(({ id, width }) => id === node.parent && width > 0);
      if (outer === undefined) continue;
      expect(node.x >= outer.x && node.x + node.width <= outer.x + outer.width, node.id).toBe(true);
      expect(node.y >= outer.y && node.y + node.height <= outer.y + outer.height, node.id).toBe(true);
    }
  });

  it('has the text of no arrow over a state that has none inside', () => {
    const leaves = layout.nodes.filter(({ id }) => !layout.nodes.some(({ parent }) => parent === id));
    for (const { id, label } of layout.edges) {
      if (label === undefined) continue;
      const box = { ...label, lines: [] } as unknown as PlacedNode;
      expect(leaves.filter((leaf) => overlap(box, leaf)).map((leaf) => `${id} over ${leaf.id}`)).toEqual([]);
    }
  });
});
