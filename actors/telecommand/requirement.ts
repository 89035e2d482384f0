/**
 * The first link of the acknowledgement chain: the `requires` of the catalogue, judged on current values. Mission
 * Control Service, section 3.1. Unknown or too old is not satisfied: a telecommand leaves only on what is known.
 */

import type { ResolvedValue } from '../../contract/telecommand.ts';
import type { Evaluation } from '../../mission/condition/condition.ts';
import type { MeasureDefinition, Platform, Requirement } from '../../mission/platform.ts';
import type { ReceivedValue } from '../../ports/target-values.ts';

interface Situation {
  readonly platform: Platform;
  readonly instance: string | undefined;
  readonly args: Readonly<Record<string, ResolvedValue>>;
  readonly sample: (ordinal: number) => ReceivedValue | undefined;
  readonly now: number;
}

/** Why the requirements do not hold, one sentence each; undefined when all do. */
export function unmetRequirements(
  requires: readonly Requirement[],
  situation: Situation,
): string | undefined {
  const unmet = requires.flatMap((requirement) => unmetReason(requirement, situation) ?? []);
  return unmet.length === 0 ? undefined : unmet.join('; ');
}

function unmetReason({ that, maxAgeMs }: Requirement, situation: Situation): string | undefined {
  const { args, instance, now } = situation;
  const evaluation = that.open({ names: args, ...(instance !== undefined && { instance }) });
  const stale = feedFresh(evaluation, maxAgeMs, situation);
  const truth = evaluation.truth(now);
  if (truth === true) return undefined;
  if (truth === false) return `requires ${that.source}: it does not hold (${known(evaluation, situation)})`;
  return `requires ${that.source}: unknown (${stale.join(', ') || 'no value'})`;
}

function feedFresh(evaluation: Evaluation, maxAgeMs: number, { platform, sample, now }: Situation): string[] {
  const stale: string[] = [];
  for (const ordinal of evaluation.reads) {
    const found = sample(ordinal);
    const key = platform.measures[ordinal]?.key ?? `#${ordinal}`;
    if (found === undefined) stale.push(`${key} has no value`);
    else if (now - found.groundMs > maxAgeMs) {
      stale.push(
        `${key} is ${Math.round((now - found.groundMs) / 1000)} s old, at most ${maxAgeMs / 1000} s is allowed`,
      );
    } else evaluation.feed(ordinal, found.value, found.groundMs);
  }
  return stale;
}

function known(evaluation: Evaluation, { platform, sample }: Situation): string {
  return evaluation.reads
    .map((ordinal) => {
      const measure = platform.measures[ordinal];
      return `${measure?.key} is ${shown(sample(ordinal)?.value, measure?.definition)}`;
    })
    .join(', ');
}

function shown(value: number | string | null | undefined, definition: MeasureDefinition | undefined): string {
  if (value === undefined || value === null) return 'unknown';
  if (typeof value === 'string') return value;
  if (definition?.type === 'bool') return String(value !== 0);
  const name = definition?.enumeration?.nameOf(value);
  return name ?? `${value}${definition?.unit === undefined ? '' : ` ${definition.unit}`}`;
}
