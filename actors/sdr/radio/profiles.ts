/**
 * Profiles: those of the mission and those registered while the daemon runs, and the apply. RF Bench Service, section
 * 4, rules 2 to 4.
 *
 * P1. A registered profile lasts as long as the daemon; it may replace one of the mission for so long.
 * P2. What is applied is the profile as it was then: registering another under its name changes nothing on the board.
 * P3. Whether it is still what is set is for the board to say, which other tools write to: it is read when somebody
 *     asks.
 */

import type {
  ActiveProfile,
  ApplyResult,
  Profile,
  ProfileRevision,
  ProfileSummary,
  RegisterReply,
  Validated,
} from '../../../contract/bench/profile.ts';
import { BENCH_PROFILES_KEPT } from '../../../contract/limits/bench.ts';
import { refused } from '../../../contract/result.ts';
import type { Answered, BenchProfiles, Refusable } from '../../../ports/bench.ts';
import { checkProfile, readProfile } from '../../../radio/document/profile.ts';
import { readDocument } from '../../../radio/document/read.ts';
import { refuse } from './board-fault.ts';
import type { Asking, Work } from './board-work.ts';
import type { RadioParts } from './parts.ts';
import { setupFor } from './profile-setup.ts';
import { presentTarget } from './status.ts';

const UNTIL_RESTART = 'kept until the daemon restarts; nothing is applied by registering';

export class Profiles implements BenchProfiles {
  readonly #parts: RadioParts;
  readonly #profiles: Map<string, Profile>;
  readonly #look: () => Promise<void>;

  /** `look`: at the board, for what another tool has changed. */
  constructor(
    parts: RadioParts,
    profiles: ReadonlyMap<string, Profile>,
    look: () => Promise<void> = async () => undefined,
  ) {
    this.#parts = parts;
    this.#look = look;
    this.#profiles = new Map(profiles);
  }

  /** As they are now, by name. */
  get all(): ReadonlyMap<string, Profile> {
    return this.#profiles;
  }

  list(): readonly ProfileSummary[] {
    return [...this.#profiles.values()].map(summaryOf).sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** P3 */
  async active(): Promise<ActiveProfile> {
    await this.#look();
    return this.known();
  }

  /** The same without a look. */
  known(): ActiveProfile {
    const { applied } = this.#parts.context().record;
    if (applied === undefined) return { dirty: false };
    const { profile, dirtyReason } = applied;
    if (dirtyReason === undefined) return { name: profile.name, dirty: false };
    return { name: profile.name, dirty: true, dirty_reason: dirtyReason };
  }

  get(name: string): Profile | undefined {
    return this.#profiles.get(name);
  }

  validate(value: unknown): Validated {
    const checked = checkProfile(value, this.#parts.bounds);
    return checked.ok ? { ok: true, errors: [] } : { ok: false, errors: [...checked.faults] };
  }

  register(name: string, text: string): Refusable<RegisterReply> {
    const read = readProfile(text, this.#parts.bounds);
    const misnamed = misnaming(name, text);
    if (misnamed !== undefined || !read.ok) {
      const faults = [...(misnamed === undefined ? [] : [misnamed]), ...(read.ok ? [] : read.faults)];
      const [first = '', ...more] = faults.map(asFault);
      return refused(first as ReturnType<typeof asFault>, ...(more as ReturnType<typeof asFault>[]));
    }
    const replaced = this.#profiles.has(name);
    if (!replaced && this.#profiles.size >= BENCH_PROFILES_KEPT)
      return refuse('conflict', `${BENCH_PROFILES_KEPT} profiles are registered already`, {
        help: 'replace one that is no longer needed',
      });
    this.#profiles.set(name, read.value);
    this.#parts.events.record({
      kind: 'profile.registered',
      source: 'radio',
      severity: 'info',
      message: `profile ${name} ${replaced ? 'replaced' : 'registered'}`,
    });
    return { ok: true, value: { name, replaced, persisted: false, note: UNTIL_RESTART } };
  }

  apply(name: string, asking: Asking = {}): Answered<ApplyResult> {
    const profile = this.#profiles.get(name);
    if (profile === undefined) return Promise.resolve(this.unknown(name));
    const route = `POST /api/v1/profiles/${name}/apply`;
    return this.#parts.queue.ask(route, asking, (work) => this.#apply(profile, work));
  }

  revisions(name: string): readonly ProfileRevision[] | undefined {
    if (!this.#profiles.has(name)) return undefined;
    const revisions = this.#parts.context().record.revisions[name] ?? [];
    return revisions.toReversed().map(({ version, epoch, at, by, message }) => ({
      version,
      cfg_epoch: epoch,
      applied_at: new Date(at).toISOString(),
      applied_by: by,
      message,
    }));
  }

  unknown(name: string): Refusable<never> {
    const names = [...this.#profiles.keys()].slice(0, 20).join(', ');
    return refuse('not_found', `no profile "${name}"`, {
      help: names === '' ? 'register one with PUT /api/v1/profiles/{name}' : `there are: ${names}`,
    });
  }

  /**
   * Sets the board to the profile at the level of the present path; a path that cannot be read is taken for a loopback.
   */
  async #apply(profile: Profile, work: Work): Promise<Refusable<ApplyResult>> {
    const { bounds, events } = this.#parts;
    const setup = setupFor(profile, bounds);
    if (!setup.ok) return setup;
    const target = (await presentTarget(work.board)) ?? 'device-loopback';
    // Noted before: what is broken off has spoiled the profile that was applied.
    work.note({ type: 'manual.changed', route: `POST /api/v1/profiles/${profile.name}/apply` });
    await work.actions.apply(setup.value, target);
    const { rx, tx, rate } = setup.value;
    const level =
      target === 'air' ? `the transmitter at ${tx.gainDb} dB` : `the transmitter muted for ${target}`;
    const tuning =
      `tuned to ${rx.oscillatorHz} Hz (rx) and ${tx.oscillatorHz} Hz (tx) at ${rate.sampleRateSps} sps, ` +
      `${level}, the egress closed until the chain is conditioned`;
    work.note({ type: 'profile.applied', profile, by: work.by, message: tuning });
    events.record({
      kind: 'profile.applied',
      source: 'radio',
      severity: 'info',
      message: `profile ${profile.name} applied by ${work.by}: ${tuning}`,
    });
    return { ok: true, value: { profile_name: profile.name, cfg_epoch: work.record.epoch, tuning } };
  }
}

function summaryOf(profile: Profile): ProfileSummary {
  const { name, display_name, modulation, symbol_rate_baud, center_frequency_hz } = profile;
  return {
    name,
    modulation,
    symbol_rate_baud,
    center_frequency_hz,
    ...(display_name !== undefined && { display_name }),
  };
}

/** A profile whose own name is another than that of its path. */
function misnaming(name: string, text: string): string | undefined {
  const document = readDocument(text);
  if (!document.ok) return undefined;
  const own = (document.value as { name?: unknown }).name;
  if (own === undefined || own === name) return undefined;
  return `name: is ${JSON.stringify(own)}, and the path says "${name}"; make them the same`;
}

function asFault(message: string): { code: 'validation_failed'; message: string } {
  return { code: 'validation_failed', message };
}
