/** A refusal of the service as it stands beside what was refused. */

import { html, nothing } from 'lit-html';
import { ServiceError } from '../../service-error.ts';

/** Every fault with its remedy; nothing without one. `unknown` is said where it may have been taken all the same. */
export function refusalView(error: ServiceError | undefined, unknown = ''): unknown {
  if (error === undefined) return nothing;
  return html`<div class="refusal" role="alert">
    ${error.items.map(({ code, message, help }) => html`<p>${message}${help === undefined ? nothing : html`. <span>${help}</span>`} <code class="muted">${code}</code></p>`)}
    ${error.isUnknown && unknown !== '' ? html`<p>${unknown}</p>` : nothing}
  </div>`;
}

/** The refusal of the work, undefined when it was done; any other failure is a defect and is thrown. */
export async function refusalOf(work: () => Promise<unknown>): Promise<ServiceError | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return error;
  }
}
