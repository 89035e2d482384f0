/** The profiles of the bench, one of which is applied. */

import type { ActiveProfile, ApplyResult, ProfileSummary } from '../../contract/bench/profile.ts';
import { byId, element } from '../element.ts';
import { act, read } from './bench-service.ts';
import { OutcomeLine } from './outcome-line.ts';
import { scaled } from './quantity.ts';

export class ProfileChoice {
  readonly #select = byId('profile-choice', HTMLSelectElement);
  readonly #button = byId('profile-apply', HTMLButtonElement);
  readonly #outcome = new OutcomeLine(byId('profile-outcome', HTMLElement));
  readonly #changed: () => void;
  #drawn = '';
  #isTouched = false;

  constructor(changed: () => void) {
    this.#changed = changed;
    this.#select.addEventListener('change', () => {
      this.#isTouched = true;
    });
    this.#button.addEventListener('click', () => void this.#apply());
  }

  get chosen(): string {
    return this.#select.value;
  }

  /** The list as it is now; the active one is chosen until the person chooses. */
  async refresh({ name }: ActiveProfile): Promise<void> {
    const profiles = await read<readonly ProfileSummary[]>('/api/v1/profiles');
    const drawn = JSON.stringify(profiles);
    if (drawn !== this.#drawn) {
      const chosen = this.#select.value;
      this.#select.replaceChildren(...profiles.map(optionOf));
      if (profiles.some((profile) => profile.name === chosen)) this.#select.value = chosen;
      this.#button.disabled = profiles.length === 0;
      this.#drawn = drawn;
    }
    if (!this.#isTouched && name !== undefined) this.#select.value = name;
  }

  async #apply(): Promise<void> {
    const name = this.#select.value;
    await this.#outcome.run(
      this.#button,
      () => act<ApplyResult>('POST', `/api/v1/profiles/${encodeURIComponent(name)}/apply`),
      ({ profile_name, tuning }) => `${profile_name}: ${tuning}`,
    );
    this.#changed();
  }
}

function optionOf({ name, modulation, symbol_rate_baud }: ProfileSummary): HTMLOptionElement {
  const about = `${modulation.toUpperCase()} ${scaled(symbol_rate_baud, 'Bd')}`;
  return element('option', { value: name }, `${name} (${about})`);
}
