/**
 * Which messages cannot be made a segment of, found by trying: what one of them does to the encoder must not hold up
 * all others.
 *
 * A1. Halves are tried until single messages are left: a few that fail cost as many tries as the logarithm of all.
 * A2. Only what fails alone is found: where messages fail together and each of them can be written, nobody is at fault,
 *     and they are written otherwise (write-part.P1), or fewer at once (archive/intake.I2).
 */

/** Those of `all` that fail alone, at most `most`; `fails` says whether so many together do. */
export async function failingAlone<Each>(
  all: readonly Each[],
  fails: (some: readonly Each[]) => Promise<boolean>,
  most: number,
): Promise<Each[]> {
  const found: Each[] = [];
  const waiting: (readonly Each[])[] = [all];
  for (let some = waiting.pop(); some !== undefined && found.length < most; some = waiting.pop()) {
    if (some.length === 0 || !(await fails(some))) continue;
    const middle = some.length >> 1;
    if (middle === 0) found.push(some[0]!);
    else waiting.push(some.slice(middle), some.slice(0, middle));
  }
  return found;
}
