/**
 * Binds the chart of a campaign to its steps. RF Bench Service, sections 2 and 3.
 *
 * B1. An attempt that an earlier life of the daemon began is not made again (bench/campaign.K4), and one of this life
 *     is made once, also when its cell asks again after a crash.
 */

import { BENCH_CELL_IDLE_MS } from '../../../contract/limits/bench.ts';
import { campaignMachine } from '../../../machines/bench/campaign.ts';
import type {
  CampaignContext,
  CampaignEffect,
  CampaignEvent,
} from '../../../machines/bench/campaign-protocol.ts';
import { defineBinding } from '../../../ports/define-binding.ts';
import type { Binding, EffectRun, Store } from '../../../ports/entity.ts';
import type { CampaignView } from '../runs/view.ts';

interface BindingOptions {
  readonly store: Store;
  /** The life of the daemon. */
  readonly session: string;
  readonly viewOf: (id: string) => CampaignView | undefined;
  /** Makes an attempt; resolves when it is over. */
  readonly attempt: (
    id: string,
    step: CampaignContext['document']['steps'][number],
  ) => Promise<Omit<Extract<CampaignEvent, { type: 'attempt.ended' }>, 'number'>>;
  /** Aborted when the daemon ends: attempts that end by that are answered by the next life (bench/campaign.K4). */
  readonly ending: AbortSignal;
  /** Nothing of it is under way any more, and that is recorded. */
  readonly rested: (id: string) => void;
}

export function createCampaignBinding({
  store,
  session,
  viewOf,
  attempt,
  ending,
  rested,
}: BindingOptions): Binding<typeof campaignMachine> {
  /** Of each campaign the newest only: one attempt is under way at a time. */
  const made = new Map<string, { readonly key: string; readonly ended: Promise<CampaignEvent> }>();

  /** A cell that was put away asks again when it comes back: by then the board may be taken for something else. */
  const restedUnder = new Map<string, string>();

  const make = async (
    { index, number, session: of }: Extract<CampaignEffect, { type: 'effect.attempt' }>,
    { id, key }: EffectRun,
  ): Promise<CampaignEvent | undefined> => {
    const step = viewOf(id)?.document.steps[index];
    if (of !== session || step === undefined) return undefined;
    const known = made.get(id);
    const ended =
      known?.key === key ? known.ended : attempt(id, step).then((end): CampaignEvent => ({ ...end, number }));
    made.set(id, { key, ended });
    const event = await ended;
    return ending.aborted ? undefined : event;
  };

  return defineBinding({
    kind: 'campaign',
    version: 1,
    chart: campaignMachine,
    store,
    durability: 'snapshot',
    effects: {
      'effect.attempt': make,
      'effect.rest': ({ session: of }, { id, key }) => {
        made.delete(id);
        if (of !== session || restedUnder.get(id) === key) return undefined;
        restedUnder.set(id, key);
        rested(id);
        return undefined;
      },
    },
    restart: 'transient',
    idleMs: BENCH_CELL_IDLE_MS,
    migrations: {},
    labelOf: (id) => viewOf(id)?.state.campaign,
  });
}
