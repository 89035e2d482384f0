/**
 * Whether a campaign can run here and now: with the documents there are, on the board that is attached. RF Bench
 * Service, section 2 (campaign documents).
 */

import type { Campaign } from '../../../contract/bench/campaign.ts';
import type { BenchFault } from '../../../contract/bench/errors.ts';
import type { Profile } from '../../../contract/bench/profile.ts';
import { checkCampaign } from '../../../radio/document/campaign.ts';
import type { BoardUser } from '../radio/board-user.ts';

interface Surroundings {
  readonly profiles: ReadonlyMap<string, Profile>;
  readonly scenarios: ReadonlyMap<string, unknown>;
  readonly board: BoardUser;
}

/** Why it cannot; undefined where it can. That there is no board is for the turn to say. */
export function unfitness(
  document: Campaign,
  { profiles, scenarios, board }: Surroundings,
): BenchFault | undefined {
  const checked = checkCampaign(document, { profiles, scenarios: new Set(scenarios.keys()) });
  if (checked.ok) return wrongBoard(document, board);
  return {
    code: 'conflict',
    message: `campaign "${document.name}" does not fit the current documents: ${checked.faults.join('; ')}`,
    help: 'register the profiles it was written for',
  };
}

function wrongBoard({ name, board: needed }: Campaign, board: BoardUser): BenchFault | undefined {
  const { provider = 'any', require: { mock } = {} } = needed ?? {};
  const { source } = board;
  if (source === undefined) return undefined;
  const isWrongProvider = provider !== 'any' && provider !== source;
  const isWrongKind = mock !== undefined && mock !== (source === 'stub');
  if (!isWrongProvider && !isWrongKind) return undefined;
  const wanted = isWrongProvider
    ? `a board of provider "${provider}"`
    : `a ${mock ? 'modelled' : 'real'} board`;
  return {
    code: 'conflict',
    message: `campaign "${name}" needs ${wanted}; the bench has ${board.provider}`,
    help: 'attach such a board, or change `board` of the campaign',
  };
}
