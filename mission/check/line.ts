/**
 * Lines of a platform document: what each place is read to, and that no line of the spacecraft is read in two ways.
 * Mission Control Service, section 6 (decoded telemetry).
 *
 * R1. Two patterns that match a common line are a fault, reported with such a line; so a pattern that can never be
 *     reached.
 * R2. A measure is read at most once from one line.
 */

import { LINE_PATTERNS } from '../../contract/limits/link.ts';
import { nearHelp } from '../../contract/near.ts';
import type { ComponentConfiguration, LineConfiguration, MeasureConfiguration } from '../configuration.ts';
import type { FaultsAt } from '../document/fault.ts';
import type { LineDocument } from '../document/line.ts';
import type { PlatformDocument } from '../document/platform.ts';
import { commonLine, covers } from '../line/overlap.ts';
import type { Pattern, PlaceholderKind } from '../line/pattern.ts';
import type { MeasureTable } from '../measure-table.ts';
import { isFloatType, isNumberType } from '../value-type.ts';
import { checkPattern } from './answer.ts';
import type { MeasureLookup } from './field.ts';

/** The lines as far as they hold; also warns of telecommands whose answer could be taken for that of another one. */
export function checkLines(
  { lines = {} }: PlatformDocument,
  components: readonly ComponentConfiguration[],
  lookup: MeasureLookup,
  frame: MeasureTable,
  faults: FaultsAt,
): LineConfiguration[] {
  const names = Object.keys(lines);
  const at = faults.in('lines');
  if (names.length > LINE_PATTERNS)
    at.fault(`there are ${names.length} patterns; a platform has at most ${LINE_PATTERNS}`, 'join some');
  const patterns = new Map<string, Pattern>();
  const checked = Object.entries(lines).map(([name, document]) => {
    const pattern = checkPattern(document.match, frame.enumerations, at.in(name, 'match'));
    if (pattern !== undefined) patterns.set(name, pattern);
    return { name, match: document.match, to: checkPlaceholders(document, pattern, lookup, at.in(name)) };
  });
  if (names.length <= LINE_PATTERNS) checkOverlaps([...patterns], at);
  warnOfSilent(components, faults);
  return checked;
}

function checkPlaceholders(
  { to = {} }: LineDocument,
  pattern: Pattern | undefined,
  lookup: MeasureLookup,
  faults: FaultsAt,
): [string, string][] {
  const places = new Map(pattern?.places.map(({ name, holds }) => [name, holds]));
  for (const name of places.keys()) {
    if (Object.hasOwn(to, name)) continue;
    faults.fault(
      `nothing says where {${name}} is read to`,
      `add to: { ${name}: component.measure }, or skip`,
    );
  }
  const seen = new Map<string, string>();
  return Object.entries(to).flatMap(([name, key]): [string, string][] => {
    const at = faults.in('to', name);
    const holds = places.get(name);
    if (holds === undefined && pattern !== undefined)
      at.keyFault(`the pattern has no place {${name}}`, nearHelp(name, places.keys(), 'places'));
    if (key === 'skip') return [];
    const before = seen.get(key);
    if (before !== undefined) at.fault(`${key} is read from {${before}} already`, 'read it once');
    seen.set(key, name);
    const measure = measureOf(key, lookup, at);
    if (measure !== undefined && holds !== undefined) checkFits(holds, measure, at);
    return measure === undefined ? [] : [[name, key]];
  });
}

function measureOf(key: string, lookup: MeasureLookup, faults: FaultsAt): MeasureConfiguration | undefined {
  const found = lookup(key);
  if (found === undefined) return undefined;
  if ('measure' in found) return found.measure;
  faults.fault(found.message, found.help);
  return undefined;
}

/** Whether what a place holds is a raw value of the measure. Single numbers are checked when they come. */
function checkFits(holds: PlaceholderKind, measure: MeasureConfiguration, faults: FaultsAt): void {
  const raw = measure.raw ?? measure.type;
  const wrong = (what: string, help: string): void =>
    faults.fault(`${what} cannot be read to a measure of type ${raw}`, help);
  switch (holds.kind) {
    case 'word':
    case 'text':
      if (raw !== 'string') wrong('text', helpFor(raw));
      return;
    case 'enum':
      if (measure.type !== holds.enumeration.name)
        wrong(`a value of ${holds.enumeration.name}`, `declare the measure as ${holds.enumeration.name}`);
      return;
    case 'choice':
      if (measure.type !== 'bool' || holds.words.length !== 2)
        wrong(
          `one of ${holds.words.join(', ')}`,
          'two words fit a bool (false first); more are an enumeration',
        );
      return;
    case 'integer':
    case 'hex':
      if (!isNumberType(raw)) wrong(`an ${holds.kind}`, helpFor(raw));
      return;
    default:
      if (!isFloatType(raw)) wrong(`a ${holds.kind}`, helpFor(raw));
  }
}

function helpFor(raw: string): string {
  if (raw === 'string') return 'take word or text';
  if (raw === 'bool') return 'write the two words, like OFF|ON';
  if (isFloatType(raw)) return 'take number, decimal or integer';
  if (isNumberType(raw)) return 'take integer or hex, or declare the measure as f64';
  return raw === 'bytes' ? 'lines contain no bytes; declare a string' : `take the enumeration ${raw}`;
}

/** R1 */
function checkOverlaps(patterns: readonly (readonly [string, Pattern])[], faults: FaultsAt): void {
  for (const [index, [name, pattern]] of patterns.entries()) {
    for (const [before, earlier] of patterns.slice(0, index)) {
      const common = commonLine(earlier, pattern);
      if (common === undefined) continue;
      const message = covers(earlier, pattern)
        ? `it can never be reached: line ${before} matches everything it matches, like "${common}"`
        : `line ${before} matches "${common}" as well`;
      faults
        .in(name, 'match')
        .fault(message, 'make one of the two narrower, so that each line is read in one way');
    }
  }
}

/** An instrument that answers a telecommand nobody awaits the answer of leaves its line to the next one. */
function warnOfSilent(components: readonly ComponentConfiguration[], faults: FaultsAt): void {
  const written = components.flatMap(({ name, telecommands }) =>
    telecommands
      .filter(({ encode }) => encode?.line !== undefined)
      .map((each) => ({ component: name, each })),
  );
  if (!written.some(({ each }) => each.verify?.answer !== undefined)) return;
  for (const { component, each } of written) {
    if (each.verify?.answer !== undefined) continue;
    faults
      .in('components', component, 'telecommands', each.name)
      .warning(
        'it awaits no answer, so an answer would be taken for that of the next telecommand',
        'give verify.answer, unless the instrument is silent',
      );
  }
}
