/** What an envelope in a bucket says of its entity, for the inspector (`stored.ts`). */

import type { EntitySummary, StoredView } from '../../contract/inspection.ts';
import { INSPECT_CONTEXT_CHARACTERS, INSPECT_LISTED } from '../../contract/limits/inspect.ts';
import type { RunSummary } from '../../contract/run.ts';
import { telecommandLabel } from '../../contract/telecommand-label.ts';
import { isKept, readEnvelope } from '../../messaging/kept-envelopes.ts';
import type { Entry } from '../../ports/bus.ts';
import type { Envelope } from '../../ports/entity.ts';

export interface StoredSummary {
  readonly summary: EntitySummary;
  readonly stored: StoredView;
}

export interface StoredEntity extends StoredSummary {
  /** Ids of the states it is in, the outermost first. */
  readonly active: readonly string[];
  readonly context: unknown;
}

/** The entity whose envelope the entry is; undefined where it is none. */
export function entityIn(entry: Entry): StoredEntity | undefined {
  const envelope = readEnvelope(entry);
  const found = envelope && summaryOf(entry, envelope);
  if (found === undefined) return undefined;
  const { value, context } = snapshotIn(envelope);
  return { ...found, active: activeIn(found.summary.kind, value), context: shown(context) };
}

function snapshotIn({ snapshot }: Pick<Envelope, 'snapshot'> = { snapshot: undefined }) {
  return (snapshot ?? {}) as { value?: unknown; context?: unknown };
}

/** The same in short. */
export function summaryIn(entry: Entry): StoredSummary | undefined {
  const envelope = readEnvelope(entry);
  return envelope && summaryOf(entry, envelope);
}

function summaryOf(entry: Entry, envelope: Envelope): StoredSummary | undefined {
  if (typeof envelope.id !== 'string') return undefined;
  const { value } = snapshotIn(envelope);
  const { kind, id, version, revision, epoch } = envelope;
  const state = statesIn(value).join(' ');
  const stored: StoredView = {
    at: entry.at,
    epoch,
    chartVersion: version,
    state,
    revision,
    ...(isKept(envelope) && { position: envelope.covers.position }),
    timers: (envelope.timers ?? []).map(({ event, dueAt }) => ({ event: event.type, dueAt })),
    effects: (envelope.effects ?? [])
      .slice(0, INSPECT_LISTED)
      .map(({ key, effect }) => ({ key, type: effect.type })),
  };
  const summary: EntitySummary = {
    kind,
    id,
    ...namesOf(envelope),
    status: 'loading',
    state,
    revision,
    at: entry.at,
    stored,
  };
  return { summary, stored };
}

function namesOf(envelope: Envelope): Pick<EntitySummary, 'label' | 'target'> {
  if (envelope.kind === 'telecommand') {
    const label = telecommandLabel(snapshotIn(envelope).context);
    const target = envelope.id.slice(0, envelope.id.lastIndexOf('.'));
    return { ...(label !== undefined && { label }), target };
  }
  const facts = isKept(envelope) ? (envelope.facts as { summary?: RunSummary } | undefined) : undefined;
  if (facts?.summary === undefined) return {};
  const { procedure, targets } = facts.summary;
  return { label: procedure, target: [...new Set(Object.values(targets))].sort().join(', ') };
}

/** `SENT.verifying` */
function statesIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    const below = statesIn(inner);
    return below.length === 0 ? [key] : below.map((each) => `${key}.${each}`);
  });
}

/** `telecommand.SENT`, `telecommand.SENT.verifying`: the machine of a kind has its name. */
function activeIn(kind: string, value: unknown): string[] {
  const paths = statesIn(value).flatMap((path) => {
    const keys = path.split('.');
    return keys.map((_, n) => [kind, ...keys.slice(0, n + 1)].join('.'));
  });
  const depth = (id: string): number => id.split('.').length;
  return [...new Set(paths)].sort((one, other) => depth(one) - depth(other));
}

/** JSON of bounded length, whatever a chart keeps. */
export function shown(context: unknown): unknown {
  try {
    const text = JSON.stringify(context, (_key, value: unknown) =>
      typeof value === 'bigint' || value instanceof Uint8Array ? String(value) : value,
    );
    if (text === undefined) return null;
    return text.length <= INSPECT_CONTEXT_CHARACTERS
      ? JSON.parse(text)
      : `${text.slice(0, INSPECT_CONTEXT_CHARACTERS)}…`;
  } catch {
    return null;
  }
}
