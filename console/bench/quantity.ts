/** Quantities as an engineer writes them. Pure. */

/** `2 400.000 000 MHz`: to the hertz. */
export function megahertz(hertz: number): string {
  const whole = Math.floor(Math.abs(hertz) / 1e6);
  const rest = String(Math.abs(Math.round(hertz)) % 1e6).padStart(6, '0');
  return `${hertz < 0 ? '−' : ''}${grouped(String(whole))}.${rest.slice(0, 3)} ${rest.slice(3)} MHz`;
}

/** Three digits a group, with spaces that do not break. */
function grouped(digits: string): string {
  return digits.replace(/\B(?=(\d{3})+$)/g, '\u202f');
}

/** In the unit that leaves one to three digits before the point: `4 MHz`, `115.2 kBd`. */
export function scaled(value: number, unit: string): string {
  const size = Math.abs(value);
  const [divisor, prefix] =
    size >= 1e9 ? [1e9, 'G'] : size >= 1e6 ? [1e6, 'M'] : size >= 1e3 ? [1e3, 'k'] : [1, ''];
  return `${minus(Number((value / divisor).toPrecision(6)))} ${prefix}${unit}`;
}

export function decibels(value: number, digits = 0): string {
  return `${minus(Number(value.toFixed(digits)))} dB`;
}

function minus(value: number): string {
  return String(value).replace('-', '−');
}

/** A share in percent that says 100 only when nothing is missing. */
export function percent(share: number): string {
  if (share === 1) return '100 %';
  return `${(Math.floor(share * 100_000) / 1000).toFixed(3)} %`;
}

/** Hertz from what is typed as MHz (`2400`, `2 400.5`, `2400,5`); undefined for anything else. */
export function hertzOf(typed: string): number | undefined {
  const text = typed.replace(/[\s\u202f\u00a0]/g, '').replace(',', '.');
  if (!/^\d{1,6}(\.\d{1,6})?$/.test(text)) return undefined;
  return Math.round(Number(text) * 1e6);
}
