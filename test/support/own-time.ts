/**
 * Time as this process had it, for "answers at once": counted in beats of its event loop. A process that is kept from
 * the processor, or stands still with the whole machine, does not age meanwhile, and what it waits for is not late; one
 * that sleeps until a deadline does.
 */

const BEAT_MS = 10;

/** Counts from now on; the result gives how many ms this process has had since, to a beat. */
export function ownTime(): () => number {
  let beats = 0;
  let timer: NodeJS.Timeout;
  // Armed again behind each beat: beats that were missed are not made up for.
  const arm = (): void => {
    timer = setTimeout(() => {
      beats += 1;
      arm();
    }, BEAT_MS).unref();
  };
  arm();
  return () => {
    clearTimeout(timer);
    return beats * BEAT_MS;
  };
}
