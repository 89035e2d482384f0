/**
 * Time as the browser has it: the only file of the console that asks for it.
 *
 * B1. What waits for a length of time is not kept waiting by a clock that is set back: lengths of time are measured
 *     with `measured`, and `now` is for moments.
 */

/** ms since 1970, of the browser's clock. */
export function now(): number {
  return Date.now();
}

/**
 * ms since it was called. A clock that is set back changes nothing of that (B1); one that is set forward, or a computer
 * that sleeps, counts as time that has passed.
 */
export function measured(): () => number {
  const [began, begun] = [now(), performance.now()];
  return () => Math.max(now() - began, performance.now() - begun);
}

/** Calls once; the result cancels it. */
export function later(fire: () => void, ms: number): () => void {
  const timer = setTimeout(fire, ms);
  return () => clearTimeout(timer);
}

/** Calls again and again while the page is visible; the result ends it. */
export function every(fire: () => void, ms: number): () => void {
  const timer = setInterval(() => {
    if (document.visibilityState === 'visible') fire();
  }, ms);
  return () => clearInterval(timer);
}

/**
 * A function that asks for one call at the next animation frame, however often it is called before; never more often
 * than every `leastMs`.
 */
export function oncePerFrame(draw: () => void, leastMs = 0): () => void {
  let asked = false;
  let sinceDrawn = (): number => Number.POSITIVE_INFINITY;
  const turn = (): void => {
    const leftMs = leastMs - sinceDrawn();
    if (leftMs > 0) {
      later(() => requestAnimationFrame(turn), leftMs);
      return;
    }
    asked = false;
    sinceDrawn = measured();
    draw();
  };
  return () => {
    if (asked) return;
    asked = true;
    requestAnimationFrame(turn);
  };
}
