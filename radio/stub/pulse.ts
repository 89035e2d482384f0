/** The pulse of a symbol, at a time in symbols. */

/** Raised cosine: root raised cosine of the modulator and matched filter together. */
export function matchedPulse(time: number, rolloff: number): number {
  if (Math.abs(time) < 1e-9) return 1;
  const sinc = Math.sin(Math.PI * time) / (Math.PI * time);
  const pole = 1 - (2 * rolloff * time) ** 2;
  if (Math.abs(pole) < 1e-9) return (Math.PI / 4) * sinc;
  return (sinc * Math.cos(Math.PI * rolloff * time)) / pole;
}

/** Root raised cosine: as it is on the air, of energy 1. */
export function signalPulse(time: number, rolloff: number): number {
  if (Math.abs(time) < 1e-9) return 1 - rolloff + (4 * rolloff) / Math.PI;
  const angle = Math.PI * time;
  const pole = 1 - (4 * rolloff * time) ** 2;
  if (Math.abs(pole) < 1e-9) {
    const quarter = Math.PI / (4 * rolloff);
    const share = 2 / Math.PI;
    return (rolloff / Math.SQRT2) * ((1 + share) * Math.sin(quarter) + (1 - share) * Math.cos(quarter));
  }
  return (
    (Math.sin(angle * (1 - rolloff)) + 4 * rolloff * time * Math.cos(angle * (1 + rolloff))) / (angle * pole)
  );
}
