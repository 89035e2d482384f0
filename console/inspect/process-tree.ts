/**
 * The supervision tree on the page: one tab stop, arrows move, Enter opens (the tree pattern of WAI-ARIA). Rows keep
 * their elements while the tree changes, so the focus stays where it is.
 *
 * T1. At most `ROWS` rows are drawn; the last one says how many are not.
 */

import type { EntityName } from '../../contract/inspection.ts';
import { arrange, byId, element, setAttribute, setText } from '../element.ts';
import { HEALTH, type TreeRow } from './tree-rows.ts';

interface TreeActions {
  open(entity: EntityName): void;
  findKind(kind: string): void;
}

/** More is searched, not scrolled. */
const ROWS = 400;
/** A branch with more children than this begins closed. */
const OPEN_CHILDREN = 12;

interface Drawn {
  readonly item: HTMLElement;
  readonly twist: HTMLElement;
  readonly mark: HTMLElement;
  readonly word: HTMLElement;
  readonly name: HTMLElement;
  readonly about: HTMLElement;
}

export class ProcessTree {
  readonly #list = byId('tree', HTMLElement);
  readonly #actions: TreeActions;
  readonly #drawn = new Map<string, Drawn>();
  /** What the person opened or closed; other branches decide by their size. */
  readonly #choice = new Map<string, boolean>();
  #rows: readonly TreeRow[] = [];
  #shown: readonly TreeRow[] = [];
  #current = '';

  constructor(actions: TreeActions) {
    this.#actions = actions;
    this.#list.addEventListener('keydown', (event) => this.#key(event));
    this.#list.addEventListener('click', (event) => this.#click(event));
    this.#list.addEventListener('focusin', (event) => {
      const key = keyAt(event);
      if (key !== undefined) this.#moveTo(key, false);
    });
  }

  show(rows: readonly TreeRow[]): void {
    this.#rows = rows;
    this.#draw();
  }

  focus(): void {
    this.#drawn.get(this.#current)?.item.focus();
  }

  #draw(): void {
    const closed = new Set(
      this.#rows.filter((row) => row.hasChildren && !this.#isOpen(row)).map(({ key }) => key),
    );
    const visible = this.#rows.filter(({ parents }) => !parents.some((parent) => closed.has(parent)));
    this.#shown = visible.slice(0, ROWS);
    if (!this.#shown.some(({ key }) => key === this.#current)) this.#current = this.#shown[0]?.key ?? '';
    const keys = new Set(this.#shown.map(({ key }) => key));
    for (const key of this.#drawn.keys()) if (!keys.has(key)) this.#drawn.delete(key);
    const items = this.#shown.map((row) => this.#drawRow(row, !closed.has(row.key)));
    if (visible.length > ROWS)
      items.push(element('div', { class: 'muted note' }, `and ${visible.length - ROWS} more`));
    arrange(this.#list, items);
  }

  #drawRow(row: TreeRow, open: boolean): HTMLElement {
    const drawn = this.#drawn.get(row.key) ?? this.#make(row);
    const { item, twist, mark, word, name, about } = drawn;
    const { sign, word: said, tone } = HEALTH[row.health];
    setAttribute(item, 'aria-expanded', row.hasChildren ? `${open}` : undefined);
    setAttribute(item, 'tabindex', row.key === this.#current ? '0' : '-1');
    setText(twist, row.hasChildren ? (open ? '▾' : '▸') : '');
    setText(mark, sign);
    setAttribute(mark, 'class', `mark ${tone}`);
    setText(word, `${said},`);
    setText(name, row.name);
    setText(about, row.about);
    return item;
  }

  #make(row: TreeRow): Drawn {
    const twist = element('span', { class: 'twist', 'aria-hidden': 'true' });
    const mark = element('span', { class: 'mark', 'aria-hidden': 'true' });
    const word = element('span', { class: 'unseen' });
    const name = element('span', { class: 'name' });
    const about = element('span', { class: 'about' });
    const item = element(
      'div',
      { role: 'treeitem', 'aria-level': row.level, 'data-key': row.key, title: row.name },
      twist,
      mark,
      word,
      name,
      about,
    );
    item.style.paddingLeft = `${(row.level - 1) * 15 + 4}px`;
    const drawn = { item, twist, mark, word, name, about };
    this.#drawn.set(row.key, drawn);
    return drawn;
  }

  #isOpen(row: TreeRow): boolean {
    const chosen = this.#choice.get(row.key);
    if (chosen !== undefined) return chosen;
    const children = this.#rows.filter(({ parents }) => parents.at(-1) === row.key).length;
    return children <= OPEN_CHILDREN;
  }

  #click(event: Event): void {
    const key = keyAt(event);
    const row = this.#shown.find((each) => each.key === key);
    if (row === undefined) return;
    this.#moveTo(row.key, true);
    this.#activate(row);
  }

  #activate(row: TreeRow): void {
    if (row.entity !== undefined) this.#actions.open(row.entity);
    else if (row.kind !== undefined) this.#actions.findKind(row.kind);
    else if (row.hasChildren) this.#toggle(row, !this.#isOpen(row));
  }

  #toggle(row: TreeRow, open: boolean): void {
    this.#choice.set(row.key, open);
    this.#draw();
  }

  #key(event: KeyboardEvent): void {
    const index = this.#shown.findIndex(({ key }) => key === this.#current);
    const row = this.#shown[index];
    if (row === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    const open = row.hasChildren && this.#isOpen(row);
    const go = (to: number): void => {
      const next = this.#shown[Math.max(0, Math.min(this.#shown.length - 1, to))];
      if (next !== undefined) this.#moveTo(next.key, true);
    };
    const keys: Record<string, () => void> = {
      ArrowDown: () => go(index + 1),
      ArrowUp: () => go(index - 1),
      Home: () => go(0),
      End: () => go(this.#shown.length - 1),
      ArrowRight: () => (row.hasChildren && !open ? this.#toggle(row, true) : open && go(index + 1)),
      ArrowLeft: () =>
        open ? this.#toggle(row, false) : go(this.#shown.findIndex(({ key }) => key === row.parents.at(-1))),
      Enter: () => this.#activate(row),
      ' ': () => this.#activate(row),
    };
    const act = keys[event.key];
    if (act === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  }

  #moveTo(key: string, focus: boolean): void {
    const before = this.#drawn.get(this.#current)?.item;
    if (before !== undefined) setAttribute(before, 'tabindex', '-1');
    this.#current = key;
    const item = this.#drawn.get(key)?.item;
    if (item === undefined) return;
    setAttribute(item, 'tabindex', '0');
    if (focus) item.focus();
  }
}

function keyAt({ target }: Event): string | undefined {
  return target instanceof Element ? target.closest<HTMLElement>('[data-key]')?.dataset['key'] : undefined;
}
