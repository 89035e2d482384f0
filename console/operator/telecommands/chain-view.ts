/** One acknowledgement chain: each state with its time and how long after the one before. */

import { html, nothing } from 'lit-html';
import { isBadTcEnd, isGoodTcEnd } from '../../../contract/telecommand-state.ts';
import { clockTime, duration } from '../../moment.ts';
import { whyLink } from '../parts/why.ts';
import { type Chain, endOf } from './chains.ts';

export function chainView(chain: Chain, now: number): unknown {
  const [first] = chain.events;
  const named = chain.events.find(({ telecommand }) => telecommand !== undefined);
  const { component, instance, telecommand } = named?.telecommand ?? {};
  const name =
    component === undefined
      ? chain.id
      : `${component}${instance === undefined ? '' : `[${instance}]`}.${telecommand}`;
  const end = endOf(chain);
  return html`<li class="chain">
    <p><strong>${chain.target} ${name}</strong> ${first?.by === undefined ? nothing : html`<span class="muted">by ${first.by}</span>`}
      ${named?.run === undefined ? nothing : html`<span class="muted">of run ${named.run}</span>`}
      <span class="mono muted">${chain.id.slice(-8)}</span> ${whyLink('telecommand', `${chain.target}.${chain.id}`, chain.target, `${chain.target} ${name}`)}</p>
    <ol>${chain.events.map((event, index) => {
      const before = chain.events[index - 1];
      return html`<li class=${toneOf(event.state)}><strong>${signOf(event.state)} ${event.state}</strong>
        <span class="mono">${clockTime(Date.parse(event.at))}</span>
        ${before === undefined ? nothing : html`<span class="muted">+${duration(Date.parse(event.at) - Date.parse(before.at))}</span>`}
        ${event.detail === undefined ? nothing : html`<span>${event.detail}</span>`}
        ${event.conforming === undefined ? nothing : html`<span>${event.conforming ? 'the echo matches' : 'the echo differs'}</span>`}</li>`;
    })}
    ${end === undefined ? html`<li class="muted">${first === undefined ? 'nothing reported yet' : `waiting for ${duration(Math.max(0, now - Date.parse(chain.events.at(-1)!.at)))}`}${chain.state === 'lost' ? ', connection lost' : ''}…</li>` : nothing}</ol></li>`;
}

function toneOf(state: string): string {
  if (isGoodTcEnd(state)) return 'ok';
  return isBadTcEnd(state) || state === 'SEND_FAILED' ? 'bad' : '';
}

function signOf(state: string): string {
  if (isGoodTcEnd(state)) return '✓';
  return isBadTcEnd(state) ? '✗' : '●';
}
