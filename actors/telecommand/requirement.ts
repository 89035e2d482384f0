/**
 * The first link of the acknowledgement chain: the `requires` of the catalogue, judged on current values. Mission
 * Control Service, section 3.1. Unknown or too old is not satisfied: a telecommand leaves only on what is known.
 */

import type { ResolvedValue } from '../../contract/telecommand.ts';
import type { Evaluation } from '../../mission/condition/condition.ts';
import { FileReads } from '../../mission/condition/file-reads.ts';
import type { Measure, MeasureDefinition, Platform, Requirement } from '../../mission/platform.ts';
import { freshSince, type ReceivedValue } from '../../ports/target-values.ts';

interface Situation {
  readonly platform: Platform;
  readonly instance: string | undefined;
  readonly args: Readonly<Record<string, ResolvedValue>>;
  readonly sample: (measure: Measure) => ReceivedValue | undefined;
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

/** What is known of a measure that a requirement reads. */
interface Known {
  readonly ordinal: number;
  readonly key: string;
  readonly definition: MeasureDefinition | undefined;
  readonly found: ReceivedValue | undefined;
}

function unmetReason({ that, maxAgeMs }: Requirement, situation: Situation): string | undefined {
  const { args, instance, now } = situation;
  const files = new FileReads();
  const evaluation = that.open({ names: args, files, ...(instance !== undefined && { instance }) });
  const known = knownOf(evaluation, files, situation);
  const stale = feedFresh(evaluation, known, maxAgeMs, now);
  const truth = evaluation.truth(now);
  if (truth === true) return undefined;
  if (truth === false) return `requires ${that.source}: it does not hold (${inWords(known)})`;
  return `requires ${that.source}: unknown (${stale.join(', ') || 'no value'})`;
}

function knownOf(evaluation: Evaluation, files: FileReads, { platform, sample }: Situation): Known[] {
  return evaluation.reads.map((ordinal) => {
    const measure = files.measure(platform, ordinal);
    const found = measure && sample(measure);
    return { ordinal, key: measure?.key ?? `#${ordinal}`, definition: measure?.definition, found };
  });
}

function feedFresh(evaluation: Evaluation, known: readonly Known[], maxAgeMs: number, now: number): string[] {
  const stale: string[] = [];
  for (const { ordinal, key, found } of known) {
    if (found === undefined) {
      stale.push(`${key} has no value`);
      continue;
    }
    const since = freshSince(found);
    const age = Math.round((now - since) / 1000);
    if (now - since > maxAgeMs) stale.push(`${key} is ${age} s old, at most ${maxAgeMs / 1000} s is allowed`);
    else evaluation.feed(ordinal, found.value, since);
  }
  return stale;
}

function inWords(known: readonly Known[]): string {
  return known.map(({ key, definition, found }) => `${key} is ${shown(found?.value, definition)}`).join(', ');
}

function shown(value: number | string | null | undefined, definition: MeasureDefinition | undefined): string {
  if (value === undefined || value === null) return 'unknown';
  if (typeof value === 'string') return value;
  if (definition?.type === 'bool') return String(value !== 0);
  const name = definition?.enumeration?.nameOf(value);
  return name ?? `${value}${definition?.unit === undefined ? '' : ` ${definition.unit}`}`;
}
