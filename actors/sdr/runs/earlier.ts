/**
 * Ends what an earlier life of the daemon left open: a scenario failed, a campaign is interrupted. RF Bench Service,
 * section 3.
 *
 * Y1. Nothing of it is done again, and the actions of the end are not done: what the board is set to is not known any
 *     more.
 */

import type { CampaignEvent } from '../../../machines/bench/campaign-protocol.ts';
import type { ScenarioRunEvent } from '../../../machines/bench/scenario-run-protocol.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { EventSink } from '../radio/board-user.ts';
import type { RunsCells } from './cells.ts';
import type { RunRecords } from './records.ts';
import { type CampaignView, isScenarioOver, type ScenarioView } from './view.ts';

interface EarlierOptions {
  readonly cells: RunsCells;
  readonly records: {
    readonly scenario: RunRecords<ScenarioView>;
    readonly campaign: RunRecords<CampaignView>;
  };
  readonly events: EventSink;
  readonly clock: Clock;
  readonly uptime: () => number;
  readonly uptimeSince: string;
}

export function endEarlier({ cells, records, events, clock, uptime, uptimeSince }: EarlierOptions): void {
  for (const [id, view] of records.scenario.entries()) {
    if (isScenarioOver(view)) continue;
    const event: ScenarioRunEvent = { type: 'daemon.restarted', at: clock.now() };
    cells.scenario.tell(id, event);
    tell(events, 'scenario', `${id} ended with the daemon; its end actions were not carried out`);
  }
  for (const [id, { state }] of records.campaign.entries()) {
    if (state.status !== 'running') continue;
    const event: CampaignEvent = {
      type: 'daemon.restarted',
      uptimeMs: Math.floor(uptime()),
      uptimeSince,
    };
    cells.campaign.tell(id, event);
    tell(events, 'campaign', `${id} was interrupted by the end of the daemon; a resume repeats its step`);
  }
}

function tell(events: EventSink, source: 'scenario' | 'campaign', words: string): void {
  const message = `${source} run ${words}; the settings of the board are not known`;
  events.record({ kind: `${source}.interrupted`, source, severity: 'warning', message });
}
