/** A field of a form, by its type, with what may be typed into it and what is wrong with it. */

import { html, nothing } from 'lit-html';
import { live } from 'lit-html/directives/live.js';
import { type FieldView, fieldFault, fieldWords } from './arguments.ts';
import { typedIn } from './dom-value.ts';

/** `prefix` makes the id unique; `changed` is called with each text. A fault is shown once something was typed. */
export function fieldView(
  prefix: string,
  field: FieldView,
  text: string,
  changed: (text: string) => void,
  isAsked = false,
): unknown {
  const id = `${prefix}-${field.name}`;
  const fault = text === '' && !isAsked ? undefined : fieldFault(field, text);
  const options = field.choices ?? (field.type === 'bool' ? ['true', 'false'] : undefined);
  const described = `${id}-words${fault === undefined ? '' : ` ${id}-fault`}`;
  return html`<div class="field">
    <label for=${id}>${field.name}${field.required ? html` <span class="muted">required</span>` : nothing}</label>
    ${
      options === undefined
        ? html`<input id=${id} .value=${live(text)} autocomplete="off" spellcheck="false" aria-describedby=${described}
          aria-invalid=${fault === undefined ? 'false' : 'true'} @input=${(event: Event) => changed(typedIn(event))} />`
        : html`<select id=${id} aria-describedby=${described} aria-invalid=${fault === undefined ? 'false' : 'true'} @change=${(event: Event) => changed(typedIn(event))}>
          <option value="" ?selected=${text === ''}>${field.required ? 'choose…' : (field.fallback ?? '')}</option>
          ${options.map((each) => html`<option value=${each} ?selected=${each === text}>${each}</option>`)}</select>`
    }
    <span class="unit">${field.unit ?? ''}</span>
    <p id="${id}-words" class="muted">${[field.description, fieldWords(field)].filter(Boolean).join('; ')}</p>
    ${fault === undefined ? nothing : html`<p id="${id}-fault" class="bad">${fault}</p>`}
  </div>`;
}
