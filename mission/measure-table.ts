/**
 * The measures of a platform with their ordinals: what conditions and packet layouts refer to. Made from the compiled
 * platform, both while it is checked and when it is loaded.
 *
 * M2. The ordinal of a measure is its place in the key order of its platform, compared segment by segment.
 */

import { assert } from '../contract/assert.ts';
import { createCalibration, createStep } from './calibration.ts';
import type { ComponentConfiguration, MeasureConfiguration, PlatformConfiguration } from './configuration.ts';
import { createEnumeration } from './enumeration.ts';
import type { Enumeration, Measure, MeasureDefinition } from './platform.ts';
import { isIntegerType } from './value-type.ts';

export interface MeasureTable {
  readonly enumerations: ReadonlyMap<string, Enumeration>;
  readonly components: ReadonlyMap<string, TableComponent>;
  /** By ordinal. */
  readonly measures: readonly Measure[];
  ordinal(key: string): number | undefined;
}

export interface TableComponent {
  readonly name: string;
  readonly description: string | undefined;
  readonly instances: readonly string[];
  readonly files: boolean;
  readonly measures: readonly MeasureDefinition[];
}

/** `component.measure`, or `component[instance].measure`. */
export function measureKey(component: string, instance: string | undefined, measure: string): string {
  return instance === undefined ? `${component}.${measure}` : `${component}[${instance}].${measure}`;
}

/** The frame of a platform whose names are unique; measures of files have no ordinal, for files come and go. */
export function createFrame(platform: Pick<PlatformConfiguration, 'enums' | 'components'>): MeasureTable {
  const enumerations = new Map(
    platform.enums.map(({ name, values }) => [name, createEnumeration(name, values)]),
  );
  const components = new Map(
    platform.components.map((component) => [component.name, frameComponent(component, enumerations)]),
  );
  const measures = [...components.values()].flatMap(measuresOf).sort(byKey).map(numbered);
  const ordinals = new Map(measures.map(({ key, ordinal }) => [key, ordinal]));
  return Object.freeze({
    enumerations,
    components,
    measures: Object.freeze(measures),
    ordinal: (key: string) => ordinals.get(key),
  });
}

function frameComponent(
  component: ComponentConfiguration,
  enumerations: ReadonlyMap<string, Enumeration>,
): TableComponent {
  return Object.freeze({
    name: component.name,
    description: component.description,
    instances: Object.freeze([...component.instances]),
    files: component.files,
    measures: Object.freeze(component.measures.map((measure) => definitionOf(measure, enumerations))),
  });
}

function definitionOf(
  measure: MeasureConfiguration,
  enumerations: ReadonlyMap<string, Enumeration>,
): MeasureDefinition {
  const { name, description, type, unit, soft, hard, derived, calibration } = measure;
  const calibrate = calibration === undefined ? undefined : createCalibration(calibration);
  const enumeration = enumerations.get(type);
  if (soft !== undefined) Object.freeze(soft);
  if (hard !== undefined) Object.freeze(hard);
  const counts = isIntegerType(measure.raw ?? type) && calibration !== undefined;
  const step = counts ? createStep(calibration) : undefined;
  return Object.freeze({
    name,
    description,
    type,
    enumeration,
    unit,
    soft,
    hard,
    derived,
    calibrate,
    ...(step !== undefined && { step }),
  });
}

function measuresOf(component: TableComponent): Omit<Measure, 'ordinal'>[] {
  if (component.files) return [];
  const instances = component.instances.length === 0 ? [undefined] : component.instances;
  return instances.flatMap((instance) =>
    component.measures.map((definition) => ({
      key: measureKey(component.name, instance, definition.name),
      component: component.name,
      instance,
      definition,
    })),
  );
}

type Unnumbered = Omit<Measure, 'ordinal'>;

function byKey(a: Unnumbered, b: Unnumbered): number {
  return (
    compare(a.component, b.component) ||
    compare(a.instance ?? '', b.instance ?? '') ||
    compare(a.definition.name, b.definition.name)
  );
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function numbered(measure: Unnumbered, ordinal: number): Measure {
  return Object.freeze({ ordinal, ...measure });
}

/** The ordinal of a measure that a compiled document names. */
export function knownOrdinal(frame: MeasureTable, key: string): number {
  const ordinal = frame.ordinal(key);
  assert(ordinal !== undefined, `M2: ${key} is a measure`);
  return ordinal;
}
