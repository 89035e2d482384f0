/** What has to be known at any time: which board, where its signal goes, its locks, its profile, and who holds it. */

import type { Capabilities } from '../../contract/bench/capability.ts';
import type { ChainState } from '../../contract/bench/chain.ts';
import type { ActiveProfile } from '../../contract/bench/profile.ts';
import type { RadioStatus } from '../../contract/bench/radio.ts';
import type { ActiveCampaignReply, ActiveRun } from '../../contract/bench/run.ts';
import { byId, setAttribute, setText } from '../element.ts';
import { emissionWords } from './emission.ts';

export class HeadView {
  readonly #node = (id: string): HTMLElement => byId(id, HTMLElement);

  capabilities({ mock }: Capabilities): void {
    const source = this.#node('source');
    setText(source, mock ? 'stub · mock' : 'pl · hardware');
    setAttribute(source, 'class', `badge ${mock ? 'accent' : ''}`);
    setAttribute(source, 'title', mock ? 'The board is a model' : 'A board of hardware');
  }

  radio({ rx_state, tx_state, timing_lock, carrier_lock }: RadioStatus): void {
    setText(this.#node('rx-state'), rx_state);
    setText(this.#node('tx-state'), tx_state);
    this.#lock('timing-lock', 'timing', timing_lock);
    this.#lock('carrier-lock', 'carrier', carrier_lock);
  }

  emission(state: ChainState, { tx_rf_gain_db, tx_gain_db }: RadioStatus): void {
    const { tone, sign, words } = emissionWords(state, tx_rf_gain_db ?? tx_gain_db ?? undefined);
    const node = this.#node('emission');
    setAttribute(node, 'class', `emission ${tone}`);
    setText(node, `${sign} ${words}`);
  }

  profile({ name, dirty, dirty_reason }: ActiveProfile): void {
    setText(this.#node('profile-name'), name ?? 'none applied');
    const badge = this.#node('profile-dirty');
    setText(badge, dirty ? dirtyWords(dirty_reason) : '');
  }

  holder({ active, board_provider }: ActiveCampaignReply, scenario: ActiveRun | null): void {
    setText(this.#node('provider'), board_provider);
    setText(this.#node('holder'), holderWords(active, scenario));
  }

  /** A part of the service does not answer, although it is reached. */
  unknown(reason: string | undefined): void {
    const note = this.#node('unknown-note');
    note.hidden = reason === undefined;
    if (reason === undefined) return;
    setText(note, `▲ The bench cannot read its board: ${reason}. Values below are old.`);
    const emission = this.#node('emission');
    setAttribute(emission, 'class', 'emission bad');
    setText(emission, '▲ Path unknown: it may emit at the connector');
  }

  #lock(id: string, name: string, isHeld: boolean | null): void {
    const node = this.#node(id);
    const [sign, tone, words] =
      isHeld === null
        ? ['?', 'warn', 'cannot be read']
        : isHeld
          ? ['✓', 'ok', 'locked']
          : ['✗', 'muted', 'not locked'];
    setText(node, `${sign} ${name}`);
    setAttribute(node, 'class', `lock ${tone}`);
    setAttribute(node, 'aria-label', `${name} ${words}`);
  }
}

function holderWords(campaign: ActiveCampaignReply['active'], scenario: ActiveRun | null): string {
  if (campaign !== null) {
    const step = `step ${Math.min(campaign.cursor + 1, campaign.total)} of ${campaign.total}`;
    return `campaign ${campaign.campaign}, ${step}${campaign.pausing ? ', pausing' : ''}`;
  }
  return scenario === null ? 'nobody' : `scenario ${scenario.scenario_name}`;
}

/** The reason begins with where it was found, where this bench did not do it. */
function dirtyWords(reason = 'reason unknown'): string {
  return reason.startsWith('on the board') ? `▲ changed ${reason}` : `▲ changed by hand: ${reason}`;
}
