/** What is about to leave, in one line and as the frame that it will be; and the button that sends it. */

import { html, nothing } from 'lit-html';
import type { Encoded } from '../../../contract/telecommand.ts';
import type { CatalogueTelecommand } from '../data/catalogue.ts';
import { typedIn } from '../parts/dom-value.ts';
import { refusalView } from '../parts/refusal.ts';
import { type Asked, type DraftState, maySend } from './draft.ts';

export interface ReviewActions {
  readonly named: (text: string) => void;
  readonly back: () => void;
  readonly send: () => void;
}

export function reviewView(
  state: DraftState,
  command: CatalogueTelecommand,
  actions: ReviewActions,
): unknown {
  const { asked, encoded, refusal, stage } = state;
  if (asked === undefined || stage === 'form' || stage === 'checking' || stage === 'sent') return nothing;
  const { hazardous, changes_state } = command.telecommand;
  const isRepeated = refusal?.isUnknown === true && encoded !== undefined;
  return html`<section class="review panel ${hazardous ? 'hazardous' : ''}" aria-labelledby="review-title">
    <h2 id="review-title" tabindex="-1">Review</h2>
    <p class="line mono">${reviewLine(asked, encoded)}</p>
    <p>${changes_state ? 'By the catalogue it changes the state of the spacecraft.' : 'By the catalogue it does not change the state of the spacecraft.'} ${hazardous ? html`<strong class="bad">▲ It is hazardous.</strong>` : nothing}</p>
    ${encoded === undefined ? html`<p class="warn">The frame could not be encoded beforehand; it may fail in the same way when it is sent.</p>` : frameView(encoded)}
    ${refusalView(refusal, 'Whether the service took it is not known. Sending again repeats it under the same identifier: it is taken once.')}
    ${
      hazardous
        ? html`<p><label>To send it, type its name: <code>${asked.telecommand}</code>
        <input .value=${state.named} autocomplete="off" spellcheck="false" @input=${(event: Event) => actions.named(typedIn(event))} /></label></p>`
        : nothing
    }
    <div class="choices">
      <button @click=${actions.back} ?disabled=${stage === 'sending'}>Back to the form</button>
      <button class=${hazardous ? 'danger' : 'primary'} ?disabled=${!maySend(state, hazardous)} @click=${actions.send}>
        ${stage === 'sending' ? 'Sending…' : isRepeated ? 'Send again, same identifier' : `Send to ${asked.target}`}</button>
    </div></section>`;
}

/** `sat1 obc.set_mode mode=NOMINAL over uhf in bench` */
export function reviewLine(
  { target, telecommand, instance, args, link, environment }: Asked,
  encoded?: Encoded,
): string {
  const [component, name] = telecommand.split('.');
  const called = instance === undefined ? telecommand : `${component}[${instance}].${name}`;
  const values = Object.entries(encoded?.args ?? args).map(([key, value]) => ` ${key}=${value}`);
  const over = encoded?.link ?? link;
  return `${target} ${called}${values.join('')}${over === undefined ? '' : ` over ${over}`}${environment === undefined ? '' : ` in ${environment}`}`;
}

function frameView({ driver, frame, size, text }: Encoded): unknown {
  return html`<p>Encoded by ${driver}, ${size} bytes${text === undefined ? '' : html`: <code>${text}</code>`}</p>
    <pre class="frame mono">${frame.replace(/(..)/g, '$1 ').trim()}</pre>`;
}
