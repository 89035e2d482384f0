/** Packets written by hand, and the flush that sends what is pending. RF Bench Service, rules 9 and 11. */

import type { FlushReply, TransmitReply } from '../../contract/bench/datapath.ts';
import { byId, element, setText } from '../element.ts';
import { act } from './bench-service.ts';
import { confirmed } from './confirm-dialog.ts';
import { OutcomeLine } from './outcome-line.ts';
import { type TransmitForm, transmitBody } from './transmit-body.ts';

type Protocol = TransmitForm['protocol'];
type Field = readonly [name: string, label: string, value: string];

const FIELDS: Readonly<Record<Protocol, readonly Field[]>> = {
  raw: [],
  csp: [
    ['src', 'Source', '1'],
    ['dst', 'Destination', '2'],
    ['dport', 'Destination port', '10'],
    ['sport', 'Source port', '33'],
    ['pri', 'Priority', '2'],
    ['version', 'Version', '1'],
  ],
  ccsds: [
    ['apid', 'APID', '100'],
    ['type', 'Type (tm, tc)', 'tc'],
    ['seq_count', 'Count (empty: automatic)', ''],
  ],
};
const CHECKS: Readonly<Record<Protocol, string>> = {
  raw: '',
  csp: 'CRC-32C after the payload',
  ccsds: 'CRC-16 after the packet',
};

export class TransmitView {
  readonly #changed: () => void;
  readonly #protocol = byId('transmit-protocol', HTMLSelectElement);
  readonly #fields = byId('transmit-fields', HTMLElement);
  readonly #check = byId('transmit-check', HTMLInputElement);
  readonly #framing = byId('transmit-framing', HTMLSelectElement);
  readonly #slot = byId('transmit-slot', HTMLInputElement);
  readonly #force = byId('transmit-force', HTMLInputElement);
  readonly #outcome = new OutcomeLine(byId('transmit-outcome', HTMLElement));

  constructor(changed: () => void) {
    this.#changed = changed;
    this.#protocol.addEventListener('change', () => this.#offer());
    this.#framing.addEventListener('change', () => {
      this.#slot.disabled = this.#framing.value !== 'slot';
    });
    byId('transmit-form', HTMLFormElement).addEventListener('submit', (event) => {
      event.preventDefault();
      void this.#send();
    });
    const flush = byId('flush-go', HTMLButtonElement);
    flush.addEventListener('click', () => void this.#flush(flush));
    this.#offer();
  }

  #offer(): void {
    const protocol = this.#protocol.value as Protocol;
    this.#fields.replaceChildren(
      ...FIELDS[protocol].map(([name, label, value]) =>
        element('label', {}, `${label} `, element('input', { name, value, size: 6, spellcheck: 'false' })),
      ),
    );
    this.#check.parentElement!.hidden = CHECKS[protocol] === '';
    setText(byId('transmit-check-words', HTMLElement), CHECKS[protocol]);
  }

  async #send(): Promise<void> {
    const inputs = [...this.#fields.querySelectorAll('input')];
    const made = transmitBody({
      protocol: this.#protocol.value as Protocol,
      hex: byId('transmit-hex', HTMLTextAreaElement).value,
      fields: Object.fromEntries(inputs.map(({ name, value }) => [name, value])),
      checked: this.#check.checked,
      framing: this.#framing.value as TransmitForm['framing'],
      slotLength: this.#slot.value,
      force: this.#force.checked,
    });
    if ('fault' in made) return this.#outcome.wrong(made.fault);
    const text =
      'The check of the chain is overridden: what is sent may be lost, or leave at the connector unexpectedly.';
    if (this.#force.checked && !(await confirmed('Transmit in spite of the chain?', text, 'Transmit')))
      return;
    const sent = await this.#outcome.run(
      byId('transmit-go', HTMLButtonElement),
      () => act<TransmitReply>('POST', '/api/v1/datapath/transmit', made.body),
      sentWords,
    );
    // Overriding is meant once.
    if (sent !== undefined) this.#force.checked = false;
    this.#changed();
  }

  async #flush(button: HTMLButtonElement): Promise<void> {
    const blocks = Number(byId('flush-blocks', HTMLSelectElement).value);
    await this.#outcome.run(
      button,
      () => act<FlushReply>('POST', '/api/v1/datapath/flush', { blocks }),
      ({ useful_bytes, tx_chain_running }) =>
        useful_bytes === 0
          ? 'nothing was pending'
          : `flushed ${useful_bytes} bytes; ${egressWords(tx_chain_running)}`,
    );
    this.#changed();
  }
}

function sentWords(reply: TransmitReply): string {
  const { packets, useful_bytes, wire_bytes, boundaries_preserved, tx_chain_running } = reply;
  const boundaries = boundaries_preserved ? 'boundaries kept' : 'no boundary kept';
  const queued = `queued ${packets} ${packets === 1 ? 'packet' : 'packets'}, ${useful_bytes} bytes (${wire_bytes} on the wire)`;
  return `${queued}; ${boundaries}; ${egressWords(tx_chain_running)}`;
}

function egressWords(isRunning: boolean | null): string {
  return isRunning === null ? 'egress unknown' : isRunning ? 'egress open' : 'egress closed';
}
