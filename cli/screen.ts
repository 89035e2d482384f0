/**
 * The whole terminal as lines that are drawn in place: only what changed is written, in one piece, and everything is
 * given back at the end. Beside the lines it reports keys.
 *
 * S1. The screen of before, the cursor and line wrapping come back however the command ends.
 * S2. Nothing scrolls and nothing is cleared before it is drawn over: so nothing flickers.
 */

export type Key = 'quit' | 'up' | 'down' | 'pageUp' | 'pageDown' | 'home' | 'end';

interface ScreenOptions {
  readonly key: (key: Key) => void;
  readonly resized: () => void;
}

const ESCAPE = '\u001b[';
/** Other screen, no cursor, no wrapping. */
const ENTER = `${ESCAPE}?1049h${ESCAPE}?25l${ESCAPE}?7l`;
const LEAVE = `${ESCAPE}?7h${ESCAPE}?25h${ESCAPE}?1049l`;
/** A terminal that knows it shows what is between both at once; others pass over it. */
const BEGIN = `${ESCAPE}?2026h`;
const END = `${ESCAPE}?2026l`;

const KEYS: Readonly<Record<string, Key>> = {
  q: 'quit',
  Q: 'quit',
  '\u0003': 'quit',
  '\u0004': 'quit',
  [`${ESCAPE}A`]: 'up',
  k: 'up',
  [`${ESCAPE}B`]: 'down',
  j: 'down',
  [`${ESCAPE}5~`]: 'pageUp',
  b: 'pageUp',
  [`${ESCAPE}6~`]: 'pageDown',
  ' ': 'pageDown',
  [`${ESCAPE}H`]: 'home',
  g: 'home',
  [`${ESCAPE}F`]: 'end',
  G: 'end',
  '\u001bOA': 'up',
  '\u001bOB': 'down',
  '\u001bOH': 'home',
  '\u001bOF': 'end',
};

export class Screen {
  readonly #options: ScreenOptions;
  /** As they stand on the terminal. */
  #shown: string[] = [];
  #entered = false;
  readonly #onResize = (): void => {
    this.#shown = [];
    this.#options.resized();
  };
  readonly #onKey = (data: Buffer): void => {
    for (const text of keysIn(data.toString())) if (KEYS[text] !== undefined) this.#options.key(KEYS[text]);
  };
  readonly #onExit = (): void => this.leave();

  constructor(options: ScreenOptions) {
    this.#options = options;
  }

  get width(): number {
    return process.stdout.columns;
  }

  get height(): number {
    return process.stdout.rows;
  }

  enter(): void {
    this.#entered = true;
    process.stdout.write(ENTER);
    process.stdout.on('resize', this.#onResize);
    process.once('exit', this.#onExit);
    if (!process.stdin.isTTY) return;
    process.stdin.setRawMode(true);
    process.stdin.on('data', this.#onKey);
    process.stdin.resume();
  }

  /** S1 */
  leave(): void {
    if (!this.#entered) return;
    this.#entered = false;
    process.stdout.off('resize', this.#onResize);
    process.off('exit', this.#onExit);
    process.stdout.write(LEAVE);
    if (!process.stdin.isTTY) return;
    process.stdin.setRawMode(false);
    process.stdin.off('data', this.#onKey);
    process.stdin.pause();
  }

  /** Shows these lines, one for each row of the terminal from the first; nothing is written when nothing changed. */
  draw(lines: readonly string[]): void {
    if (!this.#entered) return;
    const change = changeOf(this.#shown, lines.slice(0, this.height), this.height);
    this.#shown = [...lines];
    if (change !== '') process.stdout.write(`${BEGIN}${change}${END}`);
  }
}

/** What turns the lines that are shown into the wanted ones; of a row that was never drawn nothing is known. */
export function changeOf(shown: readonly string[], wanted: readonly string[], height: number): string {
  let change = '';
  for (let row = 0; row < height; row += 1) {
    const line = wanted[row] ?? '';
    if (shown[row] !== line) change += `${ESCAPE}${row + 1};1H${line}${ESCAPE}K`;
  }
  return change;
}

/** A key that is more than one character begins with the escape. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the escape is what a key begins with
const TYPED = /\u001b(?:\[[0-9;]*[A-Za-z~]|O[A-Z])|./gsu;

/** The keys of what was typed: several may come in one piece. */
export function keysIn(text: string): string[] {
  return text.match(TYPED) ?? [];
}
