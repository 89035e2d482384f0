/** Lists to choose from that change while they are looked at: what is chosen stays chosen. */

import { arrange, element, setText } from '../element.ts';

export interface Choice {
  readonly value: string;
  readonly text: string;
}

export function optionFor(value: string, text: string): Choice {
  return { value, text };
}

/** Options are kept by their value, so that an open list does not close. */
export function showOptions(select: HTMLSelectElement, choices: readonly Choice[]): void {
  const kept = new Map([...select.options].map((option) => [option.value, option]));
  const chosen = select.value;
  arrange(
    select,
    choices.map(({ value, text }) => {
      const option = kept.get(value) ?? element('option', { value });
      setText(option, text);
      return option;
    }),
  );
  if (choices.some(({ value }) => value === chosen)) select.value = chosen;
  else select.selectedIndex = choices.length === 0 ? -1 : 0;
}
