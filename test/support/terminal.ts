/**
 * A terminal for a command: a pseudo terminal of its own (`script` of util-linux, which Debian always has), and the
 * screen that a person would see. It knows what `cli/screen.ts` writes, and throws on every other sequence: nothing
 * goes unseen.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

const ESCAPE = '\u001b';
/** Control sequences, and characters; an unfinished sequence at the end is kept for later. */
const PIECE = new RegExp(`${ESCAPE}\\[\\??[0-9;]*[A-Za-z]|[^${ESCAPE}]`, 'gsu');
const UNFINISHED = new RegExp(`${ESCAPE}(?:\\[\\??[0-9;]*)?$`, 'u');

export interface Size {
  readonly rows: number;
  readonly columns: number;
}

export class TerminalScreen {
  /** Modes that are on, and whether the screen is the second one. */
  cursor = true;
  wrapping = true;
  isSecond = false;
  /** How often a line was pushed out at the top of the second screen, and a character written past the right edge. */
  scrolled = 0;
  past = 0;
  /** Styles that were set, such as `31`. */
  readonly styles = new Set<string>();
  readonly #size: Size;
  #lines: string[][];
  #first: { lines: string[][]; row: number; column: number } | undefined;
  #row = 0;
  #column = 0;
  #rest = '';

  constructor(size: Size) {
    this.#size = size;
    this.#lines = this.#blank();
  }

  /** As a person reads them, without the blanks at their ends. */
  get lines(): string[] {
    return this.#lines.map((line) => line.join('').trimEnd());
  }

  write(text: string): void {
    const all = this.#rest + text;
    this.#rest = UNFINISHED.exec(all)?.[0] ?? '';
    for (const piece of all.slice(0, all.length - this.#rest.length).match(PIECE) ?? []) {
      if (piece.length > 1 && piece.startsWith(ESCAPE)) this.#control(piece.slice(2));
      else this.#character(piece);
    }
  }

  #blank(): string[][] {
    const { rows, columns } = this.#size;
    return Array.from({ length: rows }, () => Array.from({ length: columns }, () => ' '));
  }

  #control(sequence: string): void {
    switch (sequence) {
      case '?25h':
      case '?25l':
        this.cursor = sequence.endsWith('h');
        return;
      case '?7h':
      case '?7l':
        this.wrapping = sequence.endsWith('h');
        return;
      case '?1049h':
      case '?1049l':
        return this.#switch(sequence.endsWith('h'));
      // Drawn at once: nothing of it is seen.
      case '?2026h':
      case '?2026l':
        return;
      case 'K':
        this.#lines[this.#row]!.fill(' ', this.#column);
        return;
      default:
        return this.#withNumbers(sequence);
    }
  }

  #withNumbers(sequence: string): void {
    const numbers = sequence.slice(0, -1);
    switch (sequence.at(-1)) {
      case 'm':
        if (numbers !== '0') this.styles.add(numbers);
        return;
      case 'H': {
        const [row = 1, column = 1] = numbers.split(';').map(Number);
        this.#row = row - 1;
        this.#column = column - 1;
        return;
      }
      default:
        throw new Error(`a terminal sequence that nobody expects: ${JSON.stringify(sequence)}`);
    }
  }

  #switch(toSecond: boolean): void {
    this.isSecond = toSecond;
    if (toSecond) {
      this.#first = { lines: this.#lines, row: this.#row, column: this.#column };
      this.#lines = this.#blank();
    } else if (this.#first !== undefined) {
      ({ lines: this.#lines, row: this.#row, column: this.#column } = this.#first);
    }
  }

  #character(character: string): void {
    if (character === '\r') this.#column = 0;
    else if (character === '\n') this.#feed();
    else if (this.#column >= this.#size.columns) this.past += 1;
    else {
      this.#lines[this.#row]![this.#column] = character;
      this.#column += 1;
    }
  }

  #feed(): void {
    if (this.#row < this.#size.rows - 1) {
      this.#row += 1;
      return;
    }
    if (this.isSecond) this.scrolled += 1;
    this.#lines = [...this.#lines.slice(1), this.#blank()[0]!];
  }
}

export interface Terminal {
  readonly screen: TerminalScreen;
  readonly ended: Promise<number | null>;
  type(keys: string): void;
  kill(): void;
}

interface TerminalOptions extends Size {
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts a program in a terminal in which somebody has typed before. */
export function startInTerminal(
  words: readonly string[],
  { rows, columns, env = {} }: TerminalOptions,
): Terminal {
  const command = words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');
  const line = `stty rows ${rows} cols ${columns}; echo before; exec ${command}`;
  const child: ChildProcess = spawn('script', ['--quiet', '--return', '--command', line, '/dev/null'], {
    env: { ...process.env, SHELL: '/bin/sh', TERM: 'xterm-256color', ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const screen = new TerminalScreen({ rows, columns });
  child.stdout!.setEncoding('utf8').on('data', (text: string) => screen.write(text));
  return {
    screen,
    ended: once(child, 'close').then(([code]) => code as number | null),
    type: (keys) => void child.stdin!.write(keys),
    kill: () => void child.kill('SIGKILL'),
  };
}
