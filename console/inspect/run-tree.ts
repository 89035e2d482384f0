/**
 * The steps of a run on the page: one tab stop, arrows move, Enter shows only what the log says of a step (the tree
 * pattern of WAI-ARIA). The step the run is at is kept in sight while nobody works in the tree.
 *
 * T1. At most `ROWS` rows are drawn, those around the step the run is at.
 */

import { arrange, byId, element, setAttribute, setText } from '../element.ts';
import { duration } from '../moment.ts';
import { elapsedMs, STEP_LOOK, type StepRow } from './run-steps.ts';

const ROWS = 400;
/** So many of the next steps are in sight too. */
const AHEAD = 3;

interface Drawn {
  readonly item: HTMLElement;
  readonly mark: HTMLElement;
  readonly block: HTMLElement;
  readonly about: HTMLElement;
  readonly time: HTMLElement;
  readonly reason: HTMLElement;
}

export class RunTree {
  readonly #list = byId('steps', HTMLElement);
  /** A step was chosen, or none any more. */
  readonly #chosen: (path: string | undefined) => void;
  readonly #drawn = new Map<string, Drawn>();
  #shown: readonly StepRow[] = [];
  /** The row that has the tab stop. */
  #focus = '';
  #selected: string | undefined;
  #current = '';

  constructor(chosen: (path: string | undefined) => void) {
    this.#chosen = chosen;
    this.#list.addEventListener('keydown', (event) => this.#key(event));
    this.#list.addEventListener('click', (event) => {
      const path = pathAt(event);
      if (path === undefined) return;
      this.#moveTo(path, true);
      this.select(path === this.#selected ? undefined : path);
    });
  }

  focus(): void {
    this.#drawn.get(this.#focus)?.item.focus();
  }

  clear(): void {
    this.#selected = undefined;
    this.#current = '';
    this.show([], 0);
  }

  /** Shows only what the log says of that step; of all of them again. */
  select(path: string | undefined): void {
    this.#selected = path;
    for (const [each, { item }] of this.#drawn) setAttribute(item, 'aria-selected', `${each === path}`);
    this.#chosen(path);
  }

  /** `now`: the moment that is shown, which running steps are measured to. */
  show(rows: readonly StepRow[], now: number): void {
    const current = rows.findIndex(({ isCurrent }) => isCurrent);
    const first = Math.max(0, Math.min(current - ROWS / 2, rows.length - ROWS));
    this.#shown = rows.slice(first, first + ROWS);
    const paths = new Set(this.#shown.map(({ path }) => path));
    for (const path of this.#drawn.keys()) if (!paths.has(path)) this.#drawn.delete(path);
    if (!paths.has(this.#focus)) this.#focus = this.#shown[0]?.path ?? '';
    arrange(
      this.#list,
      this.#shown.map((row) => this.#row(row)),
    );
    this.tick(now);
    this.#reveal(rows[current]?.path ?? '');
  }

  /** How long each step took, or takes until `now`. */
  tick(now: number): void {
    for (const row of this.#shown) {
      const ms = elapsedMs(row, now);
      setText(this.#drawn.get(row.path)!.time, ms === undefined ? '' : duration(ms));
    }
  }

  #row(row: StepRow): HTMLElement {
    const { path, state, attempt, reason, isCurrent, beginsIfFailed } = row;
    const { item, mark, block, about, reason: why } = this.#drawn.get(path) ?? this.#make(row);
    const { sign, tone } = STEP_LOOK[state];
    setAttribute(item, 'class', `step ${state.replace(' ', '-')}${isCurrent ? ' current' : ''}`);
    setAttribute(item, 'tabindex', path === this.#focus ? '0' : '-1');
    setAttribute(item, 'aria-current', isCurrent ? 'step' : undefined);
    setAttribute(item, 'aria-selected', `${path === this.#selected}`);
    setText(mark, sign);
    setAttribute(mark, 'class', `mark ${tone}`);
    block.hidden = !beginsIfFailed;
    setText(about, aboutOf(state, attempt));
    setAttribute(about, 'class', `about ${tone}`);
    setText(why, reason ?? '');
    why.hidden = reason === undefined;
    return item;
  }

  #make({ path, name, kind, level }: StepRow): Drawn {
    const mark = element('span', { class: 'mark', 'aria-hidden': 'true' });
    const block = element('span', { class: 'block' }, 'if failed');
    const about = element('span', { class: 'about' });
    const time = element('span', { class: 'time mono' });
    const reason = element('span', { class: 'reason' });
    const title = element('span', { class: `name of-${kind}` }, kind === 'call' ? `call ${name}` : name);
    const item = element(
      'div',
      { role: 'treeitem', 'aria-level': level, 'data-path': path, title: path },
      mark,
      title,
      block,
      about,
      time,
      reason,
    );
    item.style.paddingLeft = `${(level - 1) * 14 + 6}px`;
    const drawn = { item, mark, block, about, time, reason };
    this.#drawn.set(path, drawn);
    return drawn;
  }

  /** The step the run is at comes into sight when it changes, unless somebody is at work here. */
  #reveal(path: string): void {
    if (path === this.#current) return;
    this.#current = path;
    if (this.#list.contains(document.activeElement)) return;
    const index = this.#shown.findIndex((row) => row.path === path);
    const last = this.#shown[Math.min(index + AHEAD, this.#shown.length - 1)];
    for (const each of [last?.path ?? path, path])
      this.#drawn.get(each)?.item.scrollIntoView({ block: 'nearest' });
  }

  #key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const index = this.#shown.findIndex(({ path }) => path === this.#focus);
    const go = (to: number): void => {
      const row = this.#shown[Math.max(0, Math.min(this.#shown.length - 1, to))];
      if (row !== undefined) this.#moveTo(row.path, true);
    };
    const toggle = (): void => this.select(this.#focus === this.#selected ? undefined : this.#focus);
    const keys: Record<string, () => void> = {
      ArrowDown: () => go(index + 1),
      ArrowUp: () => go(index - 1),
      ArrowLeft: () => go(this.#parentOf(index)),
      ArrowRight: () => go(index + 1),
      Home: () => go(0),
      End: () => go(this.#shown.length - 1),
      Enter: toggle,
      ' ': toggle,
      Escape: () => this.select(undefined),
    };
    const act = keys[event.key];
    if (act === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  }

  #parentOf(index: number): number {
    const level = this.#shown[index]?.level ?? 1;
    const above = this.#shown.slice(0, index).findLastIndex((row) => row.level < level);
    return above < 0 ? index : above;
  }

  #moveTo(path: string, focus: boolean): void {
    const before = this.#drawn.get(this.#focus)?.item;
    if (before !== undefined) setAttribute(before, 'tabindex', '-1');
    this.#focus = path;
    const item = this.#drawn.get(path)?.item;
    if (item === undefined) return;
    setAttribute(item, 'tabindex', '0');
    if (focus) item.focus();
  }
}

/** The sign reports the usual; words what is worth a look. */
function aboutOf(state: StepRow['state'], attempt: number): string {
  return [state, ...(attempt > 1 ? [`attempt ${attempt}`] : [])].join(', ');
}

function pathAt({ target }: Event): string | undefined {
  return target instanceof Element ? target.closest<HTMLElement>('[data-path]')?.dataset['path'] : undefined;
}
