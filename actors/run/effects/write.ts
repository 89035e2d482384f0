/**
 * Writes a text out: a message of the log, or the prompt of a question, with the current values it shows. Mission
 * Control Service, section 2.3 (`logged`).
 *
 * W1. Everything stored before is known before a value is shown: what a telecommand changed is not shown as it was.
 * W2. What has no value is written `unknown`; a text is never refused.
 */

import type { TextPart } from '../../../contract/program.ts';
import type { RunSample } from '../../../contract/run-event.ts';
import type { Answers } from '../../../machines/run/protocol.ts';
import { retryWhileBusIsAway } from '../../../messaging/while-bus-is-away.ts';
import { measureAt } from '../../../mission/file-measure.ts';
import type { Measure, Platform } from '../../../mission/platform.ts';
import { operandText } from '../operands.ts';
import { namedInWords, runSample, valueInWords } from '../samples.ts';
import type { Handler, RunAtHand, RunServices } from '../services.ts';

type MeasurePart = Extract<TextPart, { measure: string }>;

interface Piece {
  readonly text: string;
  readonly sample?: RunSample;
}

export function createWrite(services: RunServices): Handler<'effect.write'> {
  return async ({ ticket, parts, answers }, at, signal) => {
    const targets = parts.flatMap((part) => (isMeasure(part) ? [part.target] : []));
    for (const target of new Set(targets)) {
      await retryWhileBusIsAway({ clock: services.clock, signal }, () => services.values.upToDate(target));
    }
    if (signal.aborted) return undefined;
    const pieces = parts.map((part) => pieceOf(part, answers, at, services));
    return {
      type: 'written',
      at: services.clock.now(),
      ticket,
      text: pieces.map(({ text }) => text).join(''),
      samples: pieces.flatMap(({ sample }) => sample ?? []),
    };
  };
}

function isMeasure(part: TextPart): part is MeasurePart {
  return typeof part !== 'string' && 'measure' in part;
}

function pieceOf(part: TextPart, answers: Answers, at: RunAtHand, services: RunServices): Piece {
  if (typeof part === 'string') return { text: part };
  if (isMeasure(part)) return measurePiece(part, answers, at, services);
  const value = Object.hasOwn(answers, part.name) ? answers[part.name] : undefined;
  return { text: namedInWords(value, part.unit) };
}

function measurePiece(
  part: MeasurePart,
  answers: Answers,
  { mission }: RunAtHand,
  { values }: RunServices,
): Piece {
  const measure = measureOf(part, answers, mission.targets.get(part.target)?.platform);
  const sample = measure === undefined ? undefined : values.sample(part.target, measure);
  if (measure === undefined || sample === undefined) return { text: 'unknown' };
  return {
    text: valueInWords(measure.definition, sample.value),
    sample: runSample(part.target, measure, sample),
  };
}

/** `battery[1].voltage`; undefined when its instance has no value. */
function measureOf(
  { component, instance, measure }: MeasurePart,
  answers: Answers,
  platform: Platform | undefined,
): Measure | undefined {
  if (platform === undefined) return undefined;
  if (instance === undefined) return measureAt(platform, component, undefined, measure);
  const name = operandText(instance, answers);
  return name.ok ? measureAt(platform, component, name.value, measure) : undefined;
}
