/** A canvas that is as sharp as the screen, and the colours of the page for what is drawn on it. */

/** Colours of the tokens in `console/style.css`, as they are now. */
export interface Palette {
  readonly panel: string;
  readonly raised: string;
  readonly text: string;
  readonly muted: string;
  readonly line: string;
  readonly accent: string;
  readonly ok: string;
  readonly warn: string;
  readonly bad: string;
}

const NAMES = ['panel', 'raised', 'text', 'muted', 'line', 'accent', 'ok', 'warn', 'bad'] as const;
export const PICTURE_FONT = '11px system-ui, "DejaVu Sans", sans-serif';

export function palette(): Palette {
  const style = getComputedStyle(document.documentElement);
  return Object.fromEntries(
    NAMES.map((name) => [name, style.getPropertyValue(`--${name}`).trim()]),
  ) as Record<(typeof NAMES)[number], string>;
}

/** Calls when light becomes dark or dark light. */
export function whenThemeChanges(changed: () => void): void {
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', changed);
  new MutationObserver(changed).observe(document.documentElement, { attributeFilter: ['data-theme'] });
}

/** Calls with each new size of the element. */
export function whenResized(node: Element, changed: () => void): void {
  new ResizeObserver(changed).observe(node);
}

export interface Sheet {
  readonly context: CanvasRenderingContext2D;
  readonly width: number;
  readonly height: number;
}

/** The cleared canvas in units of the page, as large as it is shown. */
export function cleared(canvas: HTMLCanvasElement): Sheet {
  const ratio = devicePixelRatio || 1;
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  const context = canvas.getContext('2d')!;
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
  }
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  context.font = PICTURE_FONT;
  return { context, width, height };
}

/** Words in the middle where there is nothing to draw. */
export function drawNothing({ context, width, height }: Sheet, words: string, { muted }: Palette): void {
  context.fillStyle = muted;
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  context.fillText(words, width / 2, height / 2);
}
