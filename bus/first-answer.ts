/** One question asked several times, for one answer. */

/** `left`: ms until the time is up. */
type Ask<Answer> = (left: number) => Promise<Answer>;

/**
 * The first answer: asked now, and again every `againMs` beside those that are not answered yet, until `withinMs` have
 * passed. Rejects with the first rejection: an answer too, or the time of the first question is up. What answers the
 * others later is handed to `late`.
 */
export function firstOf<Answer>(
  withinMs: number,
  againMs: number,
  ask: Ask<Answer>,
  late: (answer: Answer) => void = () => undefined,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const end = performance.now() + withinMs;
    let isOver = false;
    let timer: NodeJS.Timeout | undefined;
    const over = (): void => {
      isOver = true;
      clearTimeout(timer);
    };
    const once = (): void => {
      const left = end - performance.now();
      if (left > againMs) timer = setTimeout(once, againMs);
      ask(left).then(
        (answer) => {
          if (isOver) return late(answer);
          over();
          resolve(answer);
        },
        (error: unknown) => {
          over();
          reject(error);
        },
      );
    };
    once();
  });
}
