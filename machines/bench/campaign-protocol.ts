/**
 * What the chart of a campaign run receives, what it asks for and what it keeps. RF Bench Service, section 3. The chart
 * is `campaign.ts`.
 */

import type { Campaign } from '../../contract/bench/campaign.ts';
import type { Attempt } from '../../contract/bench/run.ts';

export type CampaignEvent =
  | {
      readonly type: 'attempt.ended';
      /** Number of the attempt, from 0: the answer to an earlier one is not its own. */
      readonly number: number;
      readonly attempt: Attempt;
      /** Why the campaign cannot go on: the board is gone, or somebody cancelled what the step did. */
      readonly ends?: 'lost' | 'cancelled';
    }
  | { readonly type: 'operator.pause' }
  | { readonly type: 'operator.resume'; readonly session: string }
  | { readonly type: 'operator.rerun'; readonly session: string; readonly index: number }
  | { readonly type: 'daemon.restarted'; readonly uptimeMs: number; readonly uptimeSince?: string };

/** Each names the life of the daemon that asked: another one does not do it again (bench/campaign.K4). */
export type CampaignEffect =
  | {
      readonly type: 'effect.attempt';
      readonly session: string;
      readonly index: number;
      readonly number: number;
    }
  /** Nothing is under way any more: the board is given back. */
  | { readonly type: 'effect.rest'; readonly session: string };

export interface CampaignInput {
  readonly id: string;
  readonly document: Campaign;
  readonly session: string;
  readonly startedAtUptimeMs: number;
  /** Start of the daemon that this counts from. */
  readonly uptimeSince?: string;
}

/** Where a campaign rests: nothing of it is under way. */
export type CampaignRest = 'paused' | 'finished' | 'failed' | 'aborted' | 'interrupted';

export interface CampaignContext {
  readonly id: string;
  /** As it was when the campaign was started. */
  readonly document: Campaign;
  readonly session: string;
  readonly startedAtUptimeMs: number;
  readonly uptimeSince?: string | undefined;
  /** Index of the step under way or next. */
  readonly cursor: number;
  /** Attempts at the step under the cursor since it came there. */
  readonly tries: number;
  readonly attempts: readonly Attempt[];
  readonly pauseRequested: boolean;
  /** A step that failed ended it before its last step. */
  readonly stopped: boolean;
  /** A step done again, and where the campaign rested. */
  readonly rerun: { readonly index: number; readonly back: CampaignRest } | undefined;
}
