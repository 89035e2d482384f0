/** Small platforms and missions made by hand, for tests of the telemetry that need no documents. */

import type { SampleBlock, ValueBatch, WideValue } from '../../contract/batch.ts';
import type { Mission, Target } from '../../mission/mission.ts';
import type { Enumeration, Measure, MeasureDefinition, Platform } from '../../mission/platform.ts';
import type { MissionSource } from '../../ports/mission-source.ts';

export type MeasureSketch = Partial<MeasureDefinition> & { readonly type: string };

const KEY = /^(\w+)(?:\[(\w+)\])?\.(\w+)$/;

/** A platform with these measures by key; its digest names its content. */
export function platformOf(sketches: Record<string, MeasureSketch>): Platform {
  const measures = Object.keys(sketches)
    .sort()
    .map((key, ordinal) => measureOf(key, ordinal, sketches[key]!));
  const ordinals = new Map(measures.map((measure) => [measure.key, measure.ordinal]));
  return {
    id: 'cube@1.0.0',
    name: 'cube',
    version: '1.0.0',
    digest: JSON.stringify(sketches, (_, value) => (typeof value === 'function' ? String(value) : value)),
    enumerations: new Map(),
    components: new Map(),
    files: undefined,
    fileTypes: new Map(),
    measures,
    ordinal: (key) => ordinals.get(key),
    packets: { read: () => undefined },
    datagrams: { read: () => undefined },
    lines: { read: () => undefined, answers: () => [] },
    derived: [],
    alarms: [],
  };
}

function measureOf(key: string, ordinal: number, sketch: MeasureSketch): Measure {
  const [, component, instance, name] = KEY.exec(key)!;
  const absent = { description: undefined, enumeration: undefined, unit: undefined, soft: undefined };
  const definition: MeasureDefinition = {
    ...absent,
    hard: undefined,
    derived: undefined,
    calibrate: undefined,
    name: name!,
    ...sketch,
  };
  return { ordinal, key, component: component!, instance, definition };
}

export function enumerationOf(name: string, numbers: Record<string, number>): Enumeration {
  const names = new Map(Object.entries(numbers).map(([text, number]) => [number, text]));
  return {
    name,
    names: Object.keys(numbers),
    nameOf: (number) => names.get(number),
    numberOf: (text) => numbers[text],
  };
}

/** A mission whose targets have these platforms. */
export function missionOf(revision: string, platforms: Record<string, Platform>): Mission {
  const targets = Object.entries(platforms).map(([name, platform]): [string, Target] => [
    name,
    {
      name,
      platform,
      platformId: platform.id,
      environments: ['bench'],
      modes: [],
      parameters: [],
      links: new Map(),
      defaultLink: 'uhf',
    },
  ]);
  return {
    revision,
    environments: new Map(),
    gateways: new Map(),
    stations: new Map(),
    drivers: new Map(),
    targets: new Map(targets),
    platforms: new Map(Object.values(platforms).map((platform) => [platform.digest, platform])),
    libraries: new Map(),
    settings: {
      maxSubmissionAgeMs: 0,
      leaderTtlMs: 0,
      replicas: 1,
      streams: {},
      streamsWarnAt: 0.8,
      auth: {},
      feeders: {},
      schedulerMarginMs: 0,
      maxShelveMs: 0,
      alarmRetentionMs: 0,
      contentRetentionMs: 0,
      archive: {},
      alarmAnswerMs: 0,
    },
  };
}

/** A mission source that the test moves on. */
export class Missions implements MissionSource {
  current: Mission | undefined;
  readonly archive: Mission[] = [];
  readonly #listeners = new Set<(mission: Mission) => void>();

  constructor(current?: Mission) {
    this.current = current;
  }

  publish(mission: Mission): void {
    this.current = mission;
    for (const listener of this.#listeners) listener(mission);
  }

  at(revision: string): Promise<Mission | undefined> {
    return Promise.resolve(this.archive.find((mission) => mission.revision === revision));
  }

  onChange(listener: (mission: Mission) => void): () => void {
    this.#listeners.add(listener);
    if (this.current !== undefined) listener(this.current);
    return () => this.#listeners.delete(listener);
  }
}

export interface RowSketch {
  readonly ground: number;
  readonly onboard?: number;
  /** Raw values by key; the keys of the first row are those of all. */
  readonly raw: Readonly<Record<string, number | WideValue>>;
}

/** The rows as one block of raw values. */
export function blockOf(platform: Platform, rows: readonly RowSketch[]): SampleBlock {
  const keys = Object.keys(rows[0]!.raw);
  const cells = rows.flatMap(({ raw }) => keys.map((key) => raw[key]!));
  const wide = cells.flatMap((cell, index) => (typeof cell === 'number' ? [] : [[index, cell] as const]));
  return {
    ordinals: Uint32Array.from(keys, (key) => platform.ordinal(key)!),
    ground: Float64Array.from(rows, (row) => row.ground),
    onboard: Float64Array.from(rows, (row) => row.onboard ?? Number.NaN),
    raw: Float64Array.from(cells, (cell) => (typeof cell === 'number' ? cell : Number.NaN)),
    ...(wide.length > 0 && { wide }),
  };
}

/** The rows as a batch whose values are the raw values. */
export function valuesOf(
  platform: Platform,
  rows: readonly RowSketch[],
  { link = 'uhf', deferred = false }: { link?: string; deferred?: boolean } = {},
): ValueBatch {
  const block = blockOf(platform, rows);
  return {
    platform: platform.digest,
    link,
    deferred,
    reports: [],
    blocks: [{ ...block, value: block.raw.slice() }],
  };
}
