/** Time as the browser has it: the only file of the console that asks for it. */

/** ms since 1970, of the browser's clock. */
export function now(): number {
  return Date.now();
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
  let drawnAt = 0;
  const turn = (): void => {
    if (now() - drawnAt < leastMs) {
      later(() => requestAnimationFrame(turn), leastMs - (now() - drawnAt));
      return;
    }
    asked = false;
    drawnAt = now();
    draw();
  };
  return () => {
    if (asked) return;
    asked = true;
    requestAnimationFrame(turn);
  };
}
