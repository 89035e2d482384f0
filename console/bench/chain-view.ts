/**
 * The chain: its conditions in their order, the first that is not met with the command that fixes it, and the ways to
 * bring it to a target. RF Bench Service, section 2 and rules 5 and 6 of section 4.
 */

import type { ChainState, ChainTarget, Conditioned } from '../../contract/bench/chain.ts';
import { byId, setAttribute, setText } from '../element.ts';
import { act, read } from './bench-service.ts';
import { ConditionTable } from './condition-table.ts';
import { confirmed } from './confirm-dialog.ts';
import { commandOf, type FixCommand, isMeasurement, mayEmit } from './fix-command.ts';
import { OutcomeLine } from './outcome-line.ts';

export const TARGET_WORDS: Readonly<Record<ChainTarget, string>> = {
  air: 'air',
  'device-loopback': 'device loopback',
  'pl-loopback': 'logic loopback',
};

const NARROW = '(max-width: 640px)';

const EMITS =
  'What the transmitter sends then leaves the board at its connector. Be sure of what is connected there.';

export interface ChainActions {
  /** Something was done to the board. */
  readonly changed: () => void;
  /** The profile to apply where the chain asks for one; empty: there is none. */
  readonly profile: () => string;
  readonly measure: () => void;
}

export class ChainView {
  readonly #actions: ChainActions;
  readonly #target = byId('chain-target', HTMLSelectElement);
  readonly #next = byId('chain-next', HTMLElement);
  readonly #title = byId('chain-next-title', HTMLElement);
  readonly #breaks = byId('chain-next-breaks', HTMLElement);
  readonly #command = byId('chain-next-command', HTMLElement);
  readonly #fix = byId('chain-fix', HTMLButtonElement);
  readonly #outcome = new OutcomeLine(byId('chain-outcome', HTMLElement));
  readonly #table = new ConditionTable(byId('conditions', HTMLTableElement));
  #state: ChainState | undefined;

  constructor(actions: ChainActions) {
    this.#actions = actions;
    this.#target.addEventListener('change', () => actions.changed());
    this.#fix.addEventListener('click', () => void this.#fixNext());
    for (const target of ['air', 'device-loopback', 'pl-loopback'] as const) {
      const button = byId(`condition-${target}`, HTMLButtonElement);
      button.addEventListener('click', () => void this.#condition(button, target));
    }
    // On a phone the table is long, and the step above it is what counts: it is there on demand.
    if (matchMedia(NARROW).matches) byId('conditions-all', HTMLDetailsElement).open = false;
    const recover = byId('chain-recover', HTMLButtonElement);
    recover.addEventListener('click', () => void this.#recover(recover));
    const explain = byId('chain-explain', HTMLButtonElement);
    explain.addEventListener('click', () => {
      const isOn = explain.getAttribute('aria-pressed') !== 'true';
      if (isOn) byId('conditions-all', HTMLDetailsElement).open = true;
      setAttribute(explain, 'aria-pressed', String(isOn));
      this.#table.explain(isOn);
    });
  }

  /** Shows the chain for the chosen target; returns that for the path the board is switched to. */
  async refresh(): Promise<ChainState> {
    const target = this.#target.value;
    const current = await currentChain();
    const isOther = target !== '' && target !== current.target;
    const shown = isOther ? await read<ChainState>(`/api/v1/chain?target=${target}`) : current;
    if (this.#target.value === target) this.#show(shown);
    return current;
  }

  #show(state: ChainState): void {
    this.#state = state;
    this.#table.show(state);
    const first = state.conditions.find(({ key }) => key === state.next?.condition);
    const met = state.conditions.filter(({ verdict }) => verdict === 'met').length;
    setText(byId('chain-count', HTMLElement), `${met} of ${state.conditions.length} met`);
    setAttribute(this.#next, 'class', `next-step ${state.ready ? 'ok' : 'warn'}`);
    const words = TARGET_WORDS[state.target];
    if (state.next === null) {
      setText(this.#title, `✓ Ready for ${words}`);
      setText(this.#breaks, 'Everything needed to transmit is met; locks and proof need a signal.');
      setText(this.#command, '');
      this.#fix.hidden = true;
      return;
    }
    const unknown = first?.verdict === 'unknown' ? ' is not known' : ' is not met';
    setText(this.#title, `▶ First for ${words}: ${state.next.condition}${unknown}`);
    setText(this.#breaks, first === undefined ? '' : `Until then: ${first.breaks}.`);
    setText(this.#command, state.next.command);
    this.#fix.hidden = this.#nextCommand === undefined;
  }

  /** What the button does, with the chosen profile where the command leaves its name open. */
  get #nextCommand(): FixCommand | undefined {
    const command = this.#state?.next?.command ?? '';
    return commandOf(command.replace('/profiles/{name}/', `/profiles/${this.#actions.profile()}/`));
  }

  /** The chosen profile where none is applied, so that the first click does what it says; undefined: one is applied. */
  get #missingProfile(): string | undefined {
    const session = this.#state?.conditions.find(({ key }) => key === 'session.profile');
    return session?.verdict === 'met' ? undefined : this.#actions.profile();
  }

  async #fixNext(): Promise<void> {
    const { target } = this.#state ?? {};
    const command = this.#nextCommand;
    if (command === undefined || target === undefined) return;
    if (isMeasurement(command)) return this.#actions.measure();
    const text = `${commandText(command)}. ${EMITS}`;
    if (mayEmit(command, target) && !(await confirmed('This may emit', text, 'Do it'))) return;
    const { method, path, body } = command;
    await this.#outcome.run(
      this.#fix,
      () => act<unknown>(method, path, body),
      () => `done: ${method} ${path}`,
    );
    this.#actions.changed();
  }

  async #condition(button: HTMLButtonElement, target: ChainTarget): Promise<void> {
    const profile = this.#missingProfile;
    if (profile === '')
      return this.#outcome.wrong(
        'No profile is chosen to condition to: choose one, or register one if the bench has none.',
      );
    if (target === 'air' && !(await confirmed('Condition to the air?', EMITS, 'Condition to air'))) return;
    await this.#outcome.run(
      button,
      () =>
        act<Conditioned>('POST', '/api/v1/chain/condition', {
          target,
          ...(profile !== undefined && { profile }),
        }),
      ({ steps, detail }) =>
        steps.length === 0
          ? `${TARGET_WORDS[target]}: nothing was missing`
          : `${TARGET_WORDS[target]}: ${steps.map((step, at) => `${step} (${detail[at] ?? ''})`).join(', ')}`,
    );
    this.#actions.changed();
  }

  async #recover(button: HTMLButtonElement): Promise<void> {
    await this.#outcome.run(
      button,
      () => act<{ readonly note: string }>('POST', '/api/v1/chain/recover'),
      ({ note }) => note,
    );
    this.#actions.changed();
  }
}

/** Without a target the service answers for what the board is wired for, which may be another path. */
async function currentChain(): Promise<ChainState> {
  const wired = await read<ChainState>('/api/v1/chain');
  const { target, current_target: current } = wired;
  return current === null || current === target ? wired : read<ChainState>(`/api/v1/chain?target=${current}`);
}

function commandText({ method, path, body }: FixCommand): string {
  return [method, path, body === undefined ? '' : JSON.stringify(body)]
    .filter((part) => part !== '')
    .join(' ');
}
