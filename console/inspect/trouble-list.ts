/** What needs attention, with its reason and, when it is quarantined, the two ways on. */

import type { EntityName } from '../../contract/inspection.ts';
import { arrange, byId, element, setText } from '../element.ts';
import { addressOf, supervisorNamed } from './address.ts';
import type { Trouble } from './tree-rows.ts';

/** When more than these are in trouble, the first of them are the matter. */
const LISTED = 50;

interface Drawn {
  readonly item: HTMLLIElement;
  readonly update: (trouble: Trouble) => void;
}

export class TroubleList {
  readonly #section = byId('attention', HTMLElement);
  readonly #title = byId('attention-title', HTMLElement);
  readonly #list = byId('trouble', HTMLUListElement);
  readonly #drawn = new Map<string, Drawn>();
  readonly #release: (trouble: Trouble, action: 'resume' | 'reset') => void;

  constructor(release: (trouble: Trouble, action: 'resume' | 'reset') => void) {
    this.#release = release;
  }

  show(troubles: readonly Trouble[]): void {
    this.#section.hidden = troubles.length === 0;
    setText(this.#title, `Needs attention (${troubles.length})`);
    const listed = troubles.slice(0, LISTED);
    const keys = new Set(listed.map(identityOf));
    for (const key of this.#drawn.keys()) if (!keys.has(key)) this.#drawn.delete(key);
    arrange(
      this.#list,
      listed.map((trouble) => {
        const drawn = this.#drawn.get(identityOf(trouble)) ?? this.#make(trouble);
        drawn.update(trouble);
        return drawn.item;
      }),
    );
  }

  #make(trouble: Trouble): Drawn {
    const { instance, name, where, state, supervisor, entity } = trouble;
    const crashes = element('span', { class: 'muted' });
    const reason = element('p', { class: 'reason mono' });
    const item = element(
      'li',
      { class: state },
      element(
        'div',
        { class: 'what' },
        element(
          'span',
          { class: `badge ${state === 'restarting' ? 'warn' : 'bad'}` },
          `${signOf(state)} ${state}`,
        ),
        entity === undefined ? element('strong', {}, name) : linkTo(entity),
        crashes,
      ),
      element(
        'p',
        { class: 'where muted' },
        `${where} `,
        ...(supervisor === undefined ? [] : [linkTo(supervisorNamed(instance, supervisor), 'supervisor')]),
      ),
      reason,
    );
    if (state === 'quarantined' && supervisor !== undefined) item.append(this.#choices(trouble));
    const update = ({ crashes: count, reason: why }: Trouble): void => {
      setText(crashes, count > 0 ? `${count} ${count === 1 ? 'crash' : 'crashes'}` : '');
      setText(reason, why);
    };
    const drawn = { item, update };
    this.#drawn.set(identityOf(trouble), drawn);
    return drawn;
  }

  #choices(trouble: Trouble): HTMLElement {
    const button = (action: 'resume' | 'reset', text: string): HTMLButtonElement => {
      const made = element('button', { type: 'button', 'aria-label': `${text} ${trouble.name}` }, `${text}…`);
      made.addEventListener('click', () => this.#release(trouble, action));
      return made;
    };
    return element('div', { class: 'choices' }, button('resume', 'Resume'), button('reset', 'Reset'));
  }
}

/** One that changes its state is drawn again: its buttons come and go with it. */
function identityOf({ key, state }: Trouble): string {
  return `${key}|${state}`;
}

function signOf(state: Trouble['state']): string {
  return state === 'quarantined' ? '■' : state === 'silent' ? '○' : '▲';
}

function linkTo(entity: EntityName, text = entity.id): HTMLElement {
  return element('a', { href: addressOf(entity), class: 'mono' }, text);
}
