/** A logarithmic axis of error rates: where it ends, and what stands at it. Pure. */

/** An axis without numbers shows these decades. */
const EMPTY = [1e-6, 1] as const;
const LEAST_DECADES = 2;

/** Whole decades around the values above 0, at least two. */
export function decadesAround(values: readonly number[]): readonly [number, number] {
  const above = values.filter((value) => value > 0 && Number.isFinite(value));
  if (above.length === 0) return EMPTY;
  const high = Math.ceil(Math.log10(Math.max(...above)));
  const low = Math.min(Math.floor(Math.log10(Math.min(...above))), high - LEAST_DECADES);
  return [decade(low), decade(high)];
}

/** Powers of ten from the lower to the upper end, both with it. */
export function decadesOf([low, high]: readonly [number, number]): number[] {
  const first = Math.round(Math.log10(low));
  const last = Math.round(Math.log10(high));
  return Array.from({ length: last - first + 1 }, (_, n) => decade(first + n));
}

/** Exactly: a power of a fraction is rounded on the way. */
function decade(power: number): number {
  return Number(`1e${power}`);
}

const RAISED = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];

/** `10⁻³`; empty for what is no power of ten. */
export function decadeText(value: number): string {
  const power = Math.log10(value);
  if (Math.abs(power - Math.round(power)) > 1e-9) return '';
  const digits = String(Math.abs(Math.round(power)));
  return `10${power < -0.5 ? '⁻' : ''}${[...digits].map((digit) => RAISED[Number(digit)]).join('')}`;
}

/** `2.3·10⁻⁴`; `0` for none. */
export function rateText(rate: number): string {
  if (!(rate > 0)) return '0';
  const power = Math.floor(Math.log10(rate));
  if (power >= -2) return rate.toPrecision(2);
  return `${(rate / decade(power)).toFixed(1)}·${decadeText(decade(power))}`;
}
