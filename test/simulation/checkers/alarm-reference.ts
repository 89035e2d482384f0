/**
 * What the value stream says of every alarm, computed plainly: sample by sample, with objects and searches, by code
 * that shares nothing with the evaluation under test. Mission Control Service, sections 2.4 (limits), 3.3 (unknown) and
 * 4.4 (evaluation).
 *
 * F1. A sample without a value changes nothing, and neither does a deferred one or one that did not become the current
 *     value.
 * F2. Samples of one measure, message and moment are one: the last of them. What a condition says of late samples, it
 *     says at the moment it was asked about last: of those of one message together.
 * F3. Conditions are those of the rigs (`test/simulation/mission.ts`), written here once more; what is derived is taken
 *     as the stream has it.
 */

import type { Severity } from '../../../contract/alarm.ts';
import { load } from '../../../mission/load.ts';
import type { Platform } from '../../../mission/platform.ts';
import type { History } from '../history.ts';
import type { StoredMessage } from '../twin/stored-stream.ts';
import { CurrentSamples } from './current-samples.ts';

/** What an alarm says from a sample on; `severity` null: nothing. */
export interface Crossing {
  readonly severity: Severity | null;
  /** Position of the message. */
  readonly position: number;
  /** Ground time of the sample, ms since 1970. */
  readonly at: number;
  /** Of a limits alarm. */
  readonly value?: number;
}

interface Sample {
  readonly measure: string;
  readonly at: number;
  /** Undefined: unknown. */
  readonly value: number | undefined;
}

/** A condition over what is known of the measures of its instance; undefined: unknown. */
interface Condition {
  readonly reads: readonly string[];
  readonly severity: Severity;
  readonly holds: (known: (measure: string) => number | undefined) => boolean | undefined;
  /** It has to hold for so long. */
  readonly stableMs: number;
}

const CONDITIONS: Readonly<Record<string, Condition>> = {
  trip: {
    reads: ['level'],
    severity: 'critical',
    holds: (known) => over(known('level'), 8.5),
    stableMs: 0,
  },
  both: {
    reads: ['level', 'flow'],
    severity: 'warning',
    holds: (known) => and(over(known('level'), 6), over(known('flow'), 50)),
    stableMs: 0,
  },
  sag: {
    reads: ['level'],
    severity: 'warning',
    holds: (known) => under(known('level'), 1.5),
    stableMs: 2_000,
  },
};

/** Alarms whose condition looks at time. */
export function isTemporal(key: string): boolean {
  return key.endsWith('.sag') || key.endsWith('.undervoltage');
}

/** The crossings of every limits alarm and every named alarm of the rigs, in the order of the stream, by key. */
export function crossingsOf({
  values,
  mission: { configuration, revision },
}: History): Map<string, Crossing[]> {
  const mission = load(configuration, revision);
  const crossings = new Map<string, Crossing[]>();
  for (const [name, { platform }] of mission.targets) {
    if (platform === undefined) continue;
    const reference = new TargetReference(platform, values, (alarm, crossing) => {
      const key = `${name}.${alarm}`;
      const known = crossings.get(key);
      if (known === undefined) crossings.set(key, [crossing]);
      else known.push(crossing);
    });
    for (const message of values) if (message.subject === `mcs.tm.value.${name}`) reference.take(message);
  }
  return crossings;
}

class TargetReference {
  readonly #platform: Platform;
  readonly #tell: (alarm: string, crossing: Crossing) => void;
  readonly #order: CurrentSamples;
  /** The last value of each measure; undefined: unknown. */
  readonly #known = new Map<string, number | undefined>();
  readonly #said = new Map<string, Severity | null>();
  /** The moment each condition was asked about last: a late sample turns it then, not before. */
  readonly #judgedAt = new Map<string, number>();
  /** What each condition came to be in the message, by the moments asked about. */
  readonly #judged = new Map<string, Map<number, Severity | null | undefined>>();

  constructor(
    platform: Platform,
    values: readonly StoredMessage[],
    tell: (alarm: string, crossing: Crossing) => void,
  ) {
    this.#platform = platform;
    this.#order = new CurrentSamples(platform, values);
    this.#tell = tell;
  }

  take(message: StoredMessage): void {
    const { seq } = message;
    const samples = this.#samplesOf(message);
    const moments = [...new Set(samples.map(({ at }) => at))].sort((one, other) => one - other);
    for (const at of moments)
      this.#moment(
        at,
        samples.filter((sample) => sample.at === at),
        seq,
      );
    this.#sayConditions(seq);
  }

  /** F1; derived samples are deferred by themselves. */
  #samplesOf(message: StoredMessage): Sample[] {
    return this.#order
      .take(message)
      .filter(({ isCurrent, deferred }) => isCurrent && !deferred)
      .map(({ measure, ground, value }) => ({
        measure,
        at: ground,
        value: Number.isNaN(value) ? undefined : value,
      }));
  }

  #moment(at: number, samples: readonly Sample[], position: number): void {
    for (const { measure, value } of samples) this.#known.set(measure, value);
    const measures = new Set(samples.map(({ measure }) => measure));
    for (const measure of measures) this.#limits(measure, { position, at });
    this.#conditions(measures, at);
  }

  #limits(measure: string, place: Pick<Crossing, 'position' | 'at'>): void {
    const value = this.#known.get(measure);
    const { soft, hard } = this.#platform.measures[this.#platform.ordinal(measure)!]!.definition;
    if (value === undefined || (soft === undefined && hard === undefined)) return;
    const severity = isOutside(value, hard) ? 'critical' : isOutside(value, soft) ? 'warning' : null;
    this.#say(alarmOf(measure), { severity, value, ...place });
  }

  #conditions(fresh: ReadonlySet<string>, moment: number): void {
    const rigs = new Set([...fresh].flatMap((measure) => /^rig\[(\w+)\]/.exec(measure)?.[1] ?? []));
    for (const rig of rigs) {
      for (const [name, { reads, severity, holds }] of Object.entries(CONDITIONS)) {
        if (!reads.some((read) => fresh.has(`rig[${rig}].${read}`))) continue;
        const alarm = `rig.${rig}.${name}`;
        const at = Math.max(moment, this.#judgedAt.get(alarm) ?? moment);
        this.#judgedAt.set(alarm, at);
        const truth = holds((measure) => this.#known.get(`rig[${rig}].${measure}`));
        const judged = this.#judged.get(alarm) ?? new Map<number, Severity | null | undefined>();
        this.#judged.set(alarm, judged.set(at, truth === undefined ? undefined : truth ? severity : null));
      }
    }
  }

  #sayConditions(position: number): void {
    for (const [alarm, judged] of this.#judged)
      for (const [at, severity] of judged)
        if (severity !== undefined) this.#say(alarm, { severity, position, at });
    this.#judged.clear();
  }

  #say(alarm: string, crossing: Crossing): void {
    if (this.#said.has(alarm) && this.#said.get(alarm) === crossing.severity) return;
    this.#said.set(alarm, crossing.severity);
    this.#tell(alarm, crossing);
  }
}

function isOutside(value: number, interval: readonly [number | null, number | null] | undefined): boolean {
  const [low, high] = interval ?? [null, null];
  return (low !== null && value < low) || (high !== null && value > high);
}

/** `battery[1].voltage` is the alarm `battery.1.voltage`. */
function alarmOf(measure: string): string {
  const [, component, instance = '_', name] = /^(\w+)(?:\[(\w+)\])?\.(\w+)$/.exec(measure) ?? [];
  return `${component}.${instance}.${name}`;
}

function over(value: number | undefined, bound: number): boolean | undefined {
  return value === undefined ? undefined : value > bound;
}

function under(value: number | undefined, bound: number): boolean | undefined {
  return value === undefined ? undefined : value < bound;
}

function and(one: boolean | undefined, other: boolean | undefined): boolean | undefined {
  if (one === false || other === false) return false;
  return one === undefined || other === undefined ? undefined : true;
}
