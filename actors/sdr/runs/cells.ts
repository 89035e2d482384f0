/** The cells that host the charts of the runs of a bench. */

import type { CampaignEvent, CampaignInput } from '../../../machines/bench/campaign-protocol.ts';
import type { ScenarioRunEvent, ScenarioRunInput } from '../../../machines/bench/scenario-run-protocol.ts';
import type { Cells } from '../../../ports/cells.ts';

export type ScenarioCells = Cells<ScenarioRunInput, ScenarioRunEvent>;
export type CampaignCells = Cells<CampaignInput, CampaignEvent>;

export interface RunsCells {
  readonly scenario: ScenarioCells;
  readonly campaign: CampaignCells;
}
