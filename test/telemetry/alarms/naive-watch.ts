/**
 * The evaluation of alarms as one would write it first: an object for each sample, sorted, a condition for each alarm,
 * no columns. What it says is what the watch must say. What is older than the current value of its measure is left out
 * here, by looking at each sample in turn.
 */

import type { ValueBatch } from '../../../contract/batch.ts';
import type { Evaluation } from '../../../mission/condition/condition.ts';
import type { NamedAlarm, Platform } from '../../../mission/platform.ts';
import type { AlarmEdge } from '../../../ports/alarm-watch.ts';

interface NaiveSample {
  readonly ordinal: number;
  readonly at: number;
  readonly value: number;
}

interface NaiveLimits {
  standing: AlarmEdge | undefined;
}

interface NaiveAlarm {
  readonly alarm: NamedAlarm;
  readonly evaluation: Evaluation;
  at: number;
  position: number;
  standing: AlarmEdge | undefined;
}

export class NaiveWatch {
  readonly #platform: Platform;
  readonly #limits = new Map<number, NaiveLimits>();
  readonly #named: readonly NaiveAlarm[];
  /** Of the current value of each measure. */
  readonly #currentAt = new Map<number, number>();

  constructor(platform: Platform) {
    this.#platform = platform;
    this.#named = platform.alarms.map((alarm) => ({
      alarm,
      evaluation: alarm.when.open({}),
      at: Number.NEGATIVE_INFINITY,
      position: 0,
      standing: undefined,
    }));
  }

  apply(batch: ValueBatch, position: number): AlarmEdge[] {
    const samples = this.#current(samplesOf(batch).sort((one, other) => one.at - other.at));
    if (batch.deferred) return [];
    const moments = [...new Set(samples.map(({ at }) => at))];
    return moments.flatMap((at) => {
      const now = samples.filter((sample) => sample.at === at);
      const later = samples.filter((sample) => sample.at > at);
      const named = this.#named.flatMap((each) => this.#follow(each, now, later, position));
      return [...this.#check(now, at, position), ...named];
    });
  }

  #current(samples: readonly NaiveSample[]): NaiveSample[] {
    return samples.filter(({ ordinal, at }) => {
      if (at < (this.#currentAt.get(ordinal) ?? at)) return false;
      this.#currentAt.set(ordinal, at);
      return true;
    });
  }

  pass(now: number): AlarmEdge[] {
    return this.#named.flatMap((each) => this.#passTo(each, now + 0.5));
  }

  standing(): AlarmEdge[] {
    const limits = [...this.#limits.values()].flatMap(({ standing }) => standing ?? []);
    return [...limits, ...this.#named.flatMap(({ standing }) => standing ?? [])];
  }

  #check(now: readonly NaiveSample[], at: number, position: number): AlarmEdge[] {
    return [...new Set(now.map(({ ordinal }) => ordinal))].flatMap((ordinal) => {
      const { component, definition } = this.#platform.measures[ordinal]!;
      if (definition.soft === undefined && definition.hard === undefined) return [];
      const limits = this.#limits.get(ordinal) ?? { standing: undefined };
      this.#limits.set(ordinal, limits);
      const { value } = now.findLast((sample) => sample.ordinal === ordinal)!;
      if (!Number.isFinite(value)) return [];
      const warning = isOutside(value, definition.soft) ? 'warning' : null;
      const severity = isOutside(value, definition.hard) ? 'critical' : warning;
      const edge: AlarmEdge = {
        component,
        alarm: definition.name,
        severity,
        value,
        evaluated: { position, at },
      };
      const changed = limits.standing === undefined || limits.standing.severity !== severity;
      limits.standing = edge;
      return changed ? [edge] : [];
    });
  }

  #follow(
    each: NaiveAlarm,
    now: readonly NaiveSample[],
    later: readonly NaiveSample[],
    position: number,
  ): AlarmEdge[] {
    const isRead = ({ ordinal }: NaiveSample): boolean => each.evaluation.reads.includes(ordinal);
    const read = now.filter(isRead);
    if (read.length === 0) return [];
    const { at } = read[0]!;
    const before = this.#passTo(each, at);
    for (const { ordinal, value } of read) each.evaluation.feed(ordinal, value, at);
    each.position = position;
    // Others that are late as well are of the same change.
    if (at <= each.at && later.some((sample) => isRead(sample) && sample.at <= each.at)) return before;
    return [...before, ...ask(each, Math.max(each.at, at))];
  }

  /** Asks at every moment before `end` at which something was due. */
  #passTo(each: NaiveAlarm, end: number): AlarmEdge[] {
    const due = Number.isFinite(each.at) ? each.evaluation.deadline(each.at) : undefined;
    if (due === undefined || due >= end) return [];
    return [...ask(each, due), ...this.#passTo(each, end)];
  }
}

function ask(each: NaiveAlarm, at: number): AlarmEdge[] {
  each.at = at;
  const truth = each.evaluation.truth(at);
  const known = each.standing;
  const evaluated = { position: each.position, at };
  if (known !== undefined) each.standing = { ...known, evaluated };
  if (truth === null) return [];
  const { component, name, severity: grave } = each.alarm;
  const edge = { component, alarm: name, severity: truth ? grave : null, evaluated };
  each.standing = edge;
  return known?.severity === edge.severity ? [] : [edge];
}

function samplesOf({ blocks }: ValueBatch): NaiveSample[] {
  return blocks.flatMap(({ ordinals, ground, value }) =>
    [...ground].flatMap((at, row) =>
      [...ordinals].map((ordinal, column) => ({
        ordinal,
        at,
        value: value[row * ordinals.length + column]!,
      })),
    ),
  );
}

function isOutside(value: number, interval: readonly [number | null, number | null] | undefined): boolean {
  const [low, high] = interval ?? [null, null];
  return (low !== null && value < low) || (high !== null && value > high);
}
