/**
 * The config document to settings, with the values that hold when it says nothing. Mission Control Service, section 8.
 */

import { ALARM_ANSWER_MS } from '../../contract/limits/alarm.ts';
import { ARCHIVE_KEPT_LEAST_MS } from '../../contract/limits/archive.ts';
import {
  AUTH_NATS_TTL_LEAST_MS,
  AUTH_NATS_TTL_MOST_MS,
  AUTH_NATS_TTL_MS,
} from '../../contract/limits/auth.ts';
import { TC_MAX_AGE_MS } from '../../contract/limits/telecommand.ts';
import { TRANSFER_CONTENT_LEAST_MS, TRANSFER_CONTENT_MOST_MS } from '../../contract/limits/transfer.ts';
import type { ArchiveSettings, SettingsConfiguration } from '../configuration.ts';
import type { ConfigDocument } from '../document/config.ts';
import type { FaultsAt } from '../document/fault.ts';
import type { ReadDocument } from '../document/read.ts';
import type { AuthSettings } from '../mission.ts';
import { checkAuth } from './auth.ts';
import { checkEditor } from './editor.ts';
import { durationIn } from './quantity.ts';
import { checkStreams } from './streams.ts';

/** A leader is replaced after this long without a sign of life. */
const LEADER_TTL_MS = 10_000;
/** A shelved alarm comes back within a shift. */
const MAX_SHELVE_MS = 8 * 3_600_000;
/** Alarm events stay for a quarter. */
const ALARM_RETENTION_MS = 90 * 86_400_000;
/** A run ends this long before loss of signal. */
const SCHEDULER_MARGIN_MS = 30_000;

/** Sections of the specification whose features this release does not have: it says so and does not keep quiet. */
const UNREAD = ['connectors'] as const;

/** The settings; without a document, every default. */
export function checkSettings(read: ReadDocument | undefined): SettingsConfiguration {
  const document = (read?.value ?? {}) as ConfigDocument;
  const {
    auth = {},
    passes,
    alarms,
    scheduler,
    transfers,
    archive,
    reconciler,
    telecommands,
    connectors,
    editor,
    nats,
  } = document;
  const duration = (text: string | undefined, fallback: number, ...path: string[]): number =>
    text === undefined || read === undefined ? fallback : positive(text, fallback, read.faults.in(...path));
  if (read !== undefined && document.auth !== undefined) checkAuth(document.auth, read.faults.in('auth'));
  if (read !== undefined) warnOfUnread(document, read.faults);
  return {
    maxSubmissionAgeMs: duration(telecommands?.max_age, TC_MAX_AGE_MS, 'telecommands', 'max_age'),
    leaderTtlMs: duration(reconciler?.leader_ttl, LEADER_TTL_MS, 'reconciler', 'leader_ttl'),
    replicas: nats?.replicas ?? 1,
    ...streamsOf(nats, read),
    auth: authOf(auth, read?.faults.in('auth', 'nats_ttl')),
    feeders: passes?.feeders ?? {},
    maxShelveMs: duration(alarms?.max_shelve, MAX_SHELVE_MS, 'alarms', 'max_shelve'),
    alarmRetentionMs: duration(alarms?.retention, ALARM_RETENTION_MS, 'alarms', 'retention'),
    ...(alarms?.answer_within !== undefined && {
      alarmAnswerMs: duration(alarms.answer_within, ALARM_ANSWER_MS, 'alarms', 'answer_within'),
    }),
    schedulerMarginMs: duration(scheduler?.margin, SCHEDULER_MARGIN_MS, 'scheduler', 'margin'),
    ...(transfers?.retention !== undefined &&
      read !== undefined && {
        contentRetentionMs: retention(transfers.retention, read.faults.in('transfers', 'retention')),
      }),
    ...(archive !== undefined &&
      read !== undefined && { archive: archiveOf(archive, read.faults.in('archive')) }),
    connectors: connectors ?? {},
    ...(editor !== undefined && read !== undefined && checkEditor(editor, read.faults.in('editor'))),
  };
}

function streamsOf(
  nats: ConfigDocument['nats'],
  read: ReadDocument | undefined,
): Pick<SettingsConfiguration, 'streams' | 'streamsWarnAt'> {
  if (nats === undefined || read === undefined) return {};
  const streams = checkStreams(nats.streams, read.faults.in('nats', 'streams'));
  return {
    ...(streams !== undefined && { streams }),
    ...(nats.warn_at !== undefined && { streamsWarnAt: nats.warn_at }),
  };
}

function authOf(
  { nats_ttl, ...auth }: NonNullable<ConfigDocument['auth']>,
  faults: FaultsAt | undefined,
): AuthSettings {
  if (nats_ttl === undefined || faults === undefined) return auth;
  const read = durationIn(nats_ttl, faults) ?? AUTH_NATS_TTL_MS;
  if (read < AUTH_NATS_TTL_LEAST_MS || read > AUTH_NATS_TTL_MOST_MS)
    faults.fault(`${nats_ttl} is not between 1 s and 366 d`, 'give the time of a session, like 1 h');
  return { ...auth, nats_ttl_ms: read };
}

function warnOfUnread(document: ConfigDocument, faults: FaultsAt): void {
  for (const section of UNREAD) {
    if (document[section] === undefined) continue;
    faults.in(section).warning('no part of this release reads it', 'it changes nothing: leave it out');
  }
}

/** Minutes are what is left of samples: they are not deleted before them. */
function archiveOf(
  { folder, retention: kept = {} }: NonNullable<ConfigDocument['archive']>,
  faults: FaultsAt,
): ArchiveSettings {
  const settings: { -readonly [Key in keyof ArchiveSettings]: ArchiveSettings[Key] } = {};
  const at = faults.in('retention');
  if (folder !== undefined) settings.archiveFolder = folder;
  if (kept.samples !== undefined) settings.samplesMs = archived(kept.samples, at.in('samples'));
  if (kept.minutes !== undefined) settings.minutesMs = archived(kept.minutes, at.in('minutes'));
  if (kept.events !== undefined) settings.eventsMs = archived(kept.events, at.in('events'));
  if ((settings.minutesMs ?? Number.POSITIVE_INFINITY) < (settings.samplesMs ?? Number.POSITIVE_INFINITY))
    at.fault(
      'minutes would be deleted before the samples they are made of',
      'give minutes at least as long as samples, or leave it out to keep them for ever',
    );
  return settings;
}

function archived(text: string, faults: FaultsAt): number {
  const read = durationIn(text, faults) ?? ARCHIVE_KEPT_LEAST_MS;
  if (read < ARCHIVE_KEPT_LEAST_MS)
    faults.fault(`${text} is less than a day`, 'give at least 1 d, or leave it out to keep it for ever');
  return read;
}

function retention(text: string, faults: FaultsAt): number {
  const read = durationIn(text, faults) ?? TRANSFER_CONTENT_MOST_MS;
  if (read < TRANSFER_CONTENT_LEAST_MS || read > TRANSFER_CONTENT_MOST_MS)
    faults.fault(`${text} is not between 1 and 366 days`, 'give as long as content is needed, like 90 d');
  return read;
}

function positive(text: string, fallback: number, faults: FaultsAt): number {
  const read = durationIn(text, faults);
  if (read === 0) faults.fault('the time is zero', 'give one above zero');
  return read ?? fallback;
}
