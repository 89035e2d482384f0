/** The platform of the condition tests as the verification sees it, and batches of its samples. */

import type { SampleBlock, ValueBatch, ValueBlock, VerificationReport } from '../../../contract/batch.ts';
import type { Measure, Platform } from '../../../mission/platform.ts';
import { KEYS, PLATFORM } from '../../mission/condition-platform.ts';

/** With another order of its measures and another unit for those named, under another digest. */
export function platformOf(
  digest: string,
  keys: readonly string[] = KEYS,
  unitOf: Record<string, string> = {},
): Platform {
  const measures = keys.map((key, ordinal) => {
    const [, component, name] = /^(\w+)(?:\[\w+\])?\.(\w+)$/.exec(key) ?? [];
    const scope = PLATFORM.components.get(component!)?.measures.find((each) => each.name === name);
    const { type, unit, enumeration } = scope!;
    return { ordinal, key, definition: { name, type, unit: unitOf[key] ?? unit, enumeration } };
  });
  return {
    digest,
    measures: measures as unknown as Measure[],
    ordinal: (key: string) => (keys.includes(key) ? keys.indexOf(key) : undefined),
  } as unknown as Platform;
}

type Row = readonly [atMs: number, ...values: (number | string | null)[]];

/** One block of rows of the measures named. */
export function block(platform: Platform, keys: readonly string[], rows: readonly Row[]): ValueBlock {
  const values = rows.flatMap(([, ...each]) => each);
  const wide = values.flatMap((value, n) => (typeof value === 'string' ? [[n, value] as const] : []));
  const column = Float64Array.from(values, (value) => (typeof value === 'number' ? value : Number.NaN));
  return {
    ordinals: Uint32Array.from(keys, (key) => platform.ordinal(key)!),
    ground: Float64Array.from(rows, ([at]) => at),
    onboard: new Float64Array(rows.length).fill(Number.NaN),
    raw: column,
    value: column,
    ...(wide.length > 0 && { wide }),
  } satisfies SampleBlock & ValueBlock;
}

export function batch(
  platform: Platform,
  blocks: readonly ValueBlock[],
  reports: readonly VerificationReport[] = [],
  deferred = false,
): ValueBatch {
  return { platform: platform.digest, link: 'main', deferred, blocks, reports };
}
