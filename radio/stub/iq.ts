/** Complex samples, in two arrays of one length. */

export interface Iq {
  readonly i: Float64Array;
  readonly q: Float64Array;
}

/** Scales both by a factor. */
export function scale(by: number, { i, q }: Iq): void {
  for (const values of [i, q]) for (let at = 0; at < values.length; at += 1) values[at] = values[at]! * by;
}

/** Turns the carrier by so many rounds each sample, counted from the sample of a number on. */
export function turn(rounds: number, from: number, { i, q }: Iq): void {
  if (rounds === 0) return;
  const begin = 2 * Math.PI * ((rounds * from) % 1);
  const [stepI, stepQ] = [Math.cos(2 * Math.PI * rounds), Math.sin(2 * Math.PI * rounds)];
  let [carrierI, carrierQ] = [Math.cos(begin), Math.sin(begin)];
  for (let at = 0; at < i.length; at += 1) {
    const [ownI, ownQ] = [i[at]!, q[at]!];
    i[at] = ownI * carrierI - ownQ * carrierQ;
    q[at] = ownI * carrierQ + ownQ * carrierI;
    [carrierI, carrierQ] = [carrierI * stepI - carrierQ * stepQ, carrierI * stepQ + carrierQ * stepI];
  }
}
