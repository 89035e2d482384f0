/** A small platform with limits and named alarms, and a watch over it whose edges are kept. */

import { stringify } from 'yaml';
import type { ValueBatch } from '../../../contract/batch.ts';
import type { Platform } from '../../../mission/platform.ts';
import type { AlarmEdge, AlarmWatch } from '../../../ports/alarm-watch.ts';
import { createAlarmWatch } from '../../../telemetry/alarms/alarm-watch.ts';
import { markBatch, SampleOrder } from '../../../telemetry/sample-order.ts';
import { loaded, platform as platformDocument, topology } from '../../mission/documents.ts';
import { type RowSketch, valuesOf } from '../platform.ts';

/** Start of the ground times, so that they are moments of this century. */
export const T0 = Date.UTC(2026, 0, 1);

export const COMPONENTS = {
  battery: {
    instances: [1, 2],
    measures: {
      voltage: { type: 'f64', unit: 'V', limits: { soft: ['6.4 V', '8.4 V'], hard: ['6 V', '9 V'] } },
      temperature: { type: 'f64', unit: 'degC', limits: { hard: [null, '60 degC'] } },
      charge: { type: 'u64', limits: { soft: [10, null] } },
      current: { type: 'f64', unit: 'A' },
      cell: { type: 'f64', unit: 'V' },
      load: { type: 'f64', unit: 'W' },
    },
    alarms: {
      flat: { when: 'cell < 6.2 V and load > 5 W', severity: 'critical', on_raise: 'run "shed_load"' },
      draining: { when: 'current < -1 A and stable for 10 s', severity: 'warning' },
    },
  },
  obc: {
    measures: {
      mode: { type: 'Mode' },
      on: { type: 'bool' },
      label: { type: 'string' },
      resets: { type: 'u16' },
    },
    alarms: {
      unsafe: { when: 'mode == SAFE', severity: 'warning' },
      restless: { when: 'count(resets, 5 s) > 2', severity: 'warning' },
      reset: { when: 'resets changes', severity: 'warning' },
      renamed: { when: 'label != "prime"', severity: 'warning' },
    },
  },
};
const ENUMS = { Mode: { BOOT: 0, SAFE: 1, NOMINAL: 2 } };

const LIBRARY = {
  file: 'ops.yaml',
  text: stringify({
    library: 'ops',
    version: '1.0.0',
    imports: ['box@1.0.0'],
    procedures: { shed_load: { roles: { sat: 'box' }, steps: [{ log: 'shedding' }] } },
  }),
};

/** The platform with these components. */
export function boxOf(components: object = COMPONENTS): Platform {
  const mission = loaded([platformDocument({ enums: ENUMS, components }), topology(), LIBRARY]);
  return mission.platforms.get('box@1.0.0')!;
}

export const BOX = boxOf();

export interface Watched {
  readonly watch: AlarmWatch;
  /** What is current, as the owner of the target has it. */
  readonly order: SampleOrder;
  /** Reported since the last call, `key severity @position+ms value`. */
  edges(): string[];
  /** A message, marked as the owner of the target does; ground times are ms since `T0`. */
  apply(position: number, rows: readonly RowSketch[], options?: { deferred?: boolean }): void;
  /** A message of several blocks. */
  applyBlocks(position: number, blocks: readonly (readonly RowSketch[])[]): void;
  pass(ms: number): void;
  deadline(): number | undefined;
}

export function watched(
  platform = BOX,
  earlier?: AlarmWatch,
  filled?: AlarmWatch,
  before?: SampleOrder,
): Watched {
  const reported: AlarmEdge[] = [];
  const watch = createAlarmWatch({ platform, tell: (edge) => reported.push(edge), earlier, filled });
  const order = new SampleOrder(platform, before);
  const take = (batch: ValueBatch, position: number): void => watch.apply(markBatch(order, batch), position);
  const onGround = (rows: readonly RowSketch[]) => rows.map((row) => ({ ...row, ground: T0 + row.ground }));
  return {
    watch,
    order,
    edges: () => reported.splice(0).map(shown),
    apply: (position, rows, options) => take(valuesOf(platform, onGround(rows), options), position),
    applyBlocks: (position, blocks) => {
      const batches = blocks.map((rows) => valuesOf(platform, onGround(rows)));
      take({ ...batches[0]!, blocks: batches.flatMap((batch) => batch.blocks) }, position);
    },
    pass: (ms) => watch.pass(T0 + ms),
    deadline: () => {
      const due = watch.deadline(T0);
      return due === undefined ? undefined : due - T0;
    },
  };
}

export function shown({ component, instance, alarm, severity, evaluated, value }: AlarmEdge): string {
  const of = instance === undefined ? component : `${component}[${instance}]`;
  const text = `${of}.${alarm} ${severity} @${evaluated.position}+${evaluated.at - T0}`;
  return value === undefined ? text : `${text} ${value}`;
}
