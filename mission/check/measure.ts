/**
 * Measures of a platform document: types, units, calibrations, limits. Mission Control Service, section 2.11.
 */

import { nearHelp } from '../../contract/near.ts';
import type { CalibrationConfiguration, MeasureConfiguration } from '../configuration.ts';
import type { FaultsAt } from '../document/fault.ts';
import type { CalibrationDocument, MeasureDocument } from '../document/platform.ts';
import { isNumberType, isValueType, VALUE_TYPES } from '../value-type.ts';
import { intervalIn, unitKnown } from './quantity.ts';

/** Whether the type is a value type or one of the enumerations; reported when it is neither. */
export function typeKnown(type: string, enums: ReadonlySet<string>, faults: FaultsAt): boolean {
  if (isValueType(type) || enums.has(type)) return true;
  faults.fault(`unknown type "${type}"`, nearHelp(type, [...VALUE_TYPES, ...enums], 'types'));
  return false;
}

/** The measure as far as it holds; a faulty part is left out, so that what refers to the measure is still checked. */
export function checkMeasure(
  name: string,
  document: MeasureDocument,
  enums: ReadonlySet<string>,
  faults: FaultsAt,
): MeasureConfiguration {
  const known = typeKnown(document.type, enums, faults.in('type'));
  const type = known ? document.type : 'f64';
  checkParts(document, type, known, faults);
  const unit = unitKnown(document.unit, faults.in('unit')) ? document.unit : undefined;
  const limits = unit === document.unit ? checkLimits(document, unit, faults.in('limits')) : {};
  const calibration =
    document.calibration === undefined
      ? undefined
      : checkCalibration(document.calibration, faults.in('calibration'));
  return {
    name,
    ...(document.description !== undefined && { description: document.description }),
    type,
    ...(unit !== undefined && { unit }),
    ...(document.raw !== undefined && isValueType(document.raw) && { raw: document.raw }),
    ...(calibration !== undefined && { calibration }),
    ...limits,
    ...(document.derived !== undefined && { derived: document.derived }),
  };
}

/** Parts that do not go together. */
function checkParts(document: MeasureDocument, type: string, known: boolean, faults: FaultsAt): void {
  const { unit, raw, calibration, limits, derived } = document;
  const numeric = isNumberType(type);
  if (raw !== undefined && !isValueType(raw)) {
    faults.in('raw').fault(`"${raw}" is no value type`, nearHelp(raw, VALUE_TYPES, 'types'));
  }
  if (known && !numeric) {
    const why = `a measure of type ${type} is no number`;
    if (unit !== undefined) faults.in('unit').fault(`${why} and has no unit`, 'leave the unit out');
    if (calibration !== undefined)
      faults.in('calibration').fault(`${why} and has no calibration`, 'leave it out');
    if (limits !== undefined)
      faults.in('limits').fault(`${why} and has no limits`, 'declare an alarm with `when`');
  }
  if (
    calibration !== undefined &&
    raw !== undefined &&
    isValueType(raw) &&
    !isNumberType(raw) &&
    raw !== 'bool'
  ) {
    faults.in('raw').fault(`a raw value of type ${raw} cannot be calibrated`, 'give a number type');
  }
  if (derived === undefined) return;
  for (const key of ['raw', 'calibration'] as const) {
    if (document[key] !== undefined) {
      faults.in(key).fault(`a derived measure has no ${key}`, `leave out ${key} or derived`);
    }
  }
}

function checkLimits(
  { limits }: MeasureDocument,
  unit: string | undefined,
  faults: FaultsAt,
): Pick<MeasureConfiguration, 'soft' | 'hard'> {
  const soft = limits?.soft === undefined ? undefined : intervalIn(limits.soft, unit, faults.in('soft'));
  const hard = limits?.hard === undefined ? undefined : intervalIn(limits.hard, unit, faults.in('hard'));
  if (soft !== undefined && hard !== undefined && !encloses(hard, soft)) {
    faults
      .in('soft')
      .fault('the soft limits reach outside the hard ones', 'warn before it is critical: soft inside hard');
  }
  return { ...(soft !== undefined && { soft }), ...(hard !== undefined && { hard }) };
}

type Interval = readonly [number | null, number | null];

function encloses([outerLow, outerHigh]: Interval, [low, high]: Interval): boolean {
  const least = outerLow === null || low === null || low >= outerLow;
  return least && (outerHigh === null || high === null || high <= outerHigh);
}

function checkCalibration(
  document: CalibrationDocument,
  faults: FaultsAt,
): CalibrationConfiguration | undefined {
  const { polynomial, points, covers } = document;
  if ((polynomial === undefined) === (points === undefined)) {
    faults.fault('a calibration is a polynomial or points', 'give exactly one of the two');
    return undefined;
  }
  if (covers !== undefined && covers[0] >= covers[1]) {
    faults
      .in('covers')
      .fault(`covers goes from ${covers[0]} to ${covers[1]}`, 'write [least, most] of the raw value');
    return undefined;
  }
  if (points !== undefined && !pointsRise(points, faults.in('points'))) return undefined;
  return {
    ...(polynomial !== undefined && { polynomial }),
    ...(points !== undefined && { points }),
    ...(covers !== undefined && { covers }),
  };
}

function pointsRise(points: readonly (readonly [number, number])[], faults: FaultsAt): boolean {
  let rise = true;
  for (const [index, [raw]] of points.entries()) {
    const before = points[index - 1]?.[0];
    if (before === undefined || raw > before) continue;
    rise = false;
    faults
      .in(index)
      .fault(`raw ${raw} does not come after ${before}`, 'order the points by rising raw value');
  }
  return rise;
}
