/**
 * What the archive keeps of a platform: enough to name and type the columns of its samples, and plain data, so that it
 * can be given to a thread.
 *
 * C1. Samples outlive their catalogue: what is needed to read them stands beside them (row-shape.ts), and nothing is
 *     asked of a catalogue when the past is read.
 * C2. Samples of a platform that nobody knows any more are kept under their ordinals (`#17`), raw beside value.
 */

import type { FileMeasureName } from '../contract/file-sample.ts';
import type { Platform } from '../mission/platform.ts';

export interface MeasureColumn {
  /** `component[instance].measure`, the name of its column. */
  readonly key: string;
  /** A value type, or `enum` where it has labels. */
  readonly type: string;
  readonly unit?: string;
  /** The labels of an enumeration with their numbers; both are unique. */
  readonly labels?: readonly (readonly [label: string, number: number])[];
  /** Whether raw values differ from values, and are kept beside them. */
  readonly calibrated: boolean;
}

export interface PlatformColumns {
  readonly digest: string;
  /** By ordinal. */
  readonly measures: readonly MeasureColumn[];
  /** The component of the on-board directory, where there is one. */
  readonly files?: string;
}

export function platformColumns(platform: Platform): PlatformColumns {
  const measures = platform.measures.map(({ key, definition }): MeasureColumn => {
    const { type, unit, enumeration, calibrate } = definition;
    const calibrated = calibrate !== undefined;
    const labels = enumeration?.names.map((name) => [name, enumeration.numberOf(name)!] as const);
    const column: { -readonly [Key in keyof MeasureColumn]: MeasureColumn[Key] } = {
      key,
      type: labels === undefined ? type : 'enum',
      calibrated,
    };
    if (unit !== undefined) column.unit = unit;
    if (labels !== undefined) column.labels = labels;
    return column;
  });
  const files = platform.files?.component;
  return files === undefined
    ? { digest: platform.digest, measures }
    : { digest: platform.digest, measures, files };
}

/** The column of an ordinal (C2). */
export function columnOf(platform: PlatformColumns, ordinal: number): MeasureColumn {
  return platform.measures[ordinal] ?? { key: `#${ordinal}`, type: 'f64', calibrated: true };
}

/** The name of a measure of a file on board, as the catalogue writes those of instances. */
export function fileKey(platform: PlatformColumns, file: string, name: FileMeasureName): string {
  return `${platform.files ?? '#files'}[${file}].${name}`;
}
