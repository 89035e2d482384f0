/**
 * The archive: keeps the past of every target in a folder and answers questions about it. Of the processes that share
 * the folder one is the owner; processes with folders of their own keep one whole archive each (decision 46).
 *
 * A1. What is shared is known by the identity in the folder, and led under it: a lease of one folder is none of
 *     another.
 * A2. The folder is that of the configuration, or `archive` in the state folder of the process. It is taken up with the
 *     first configuration; another one later holds from the next start on. A process that has neither archives nothing,
 *     and says so once.
 */

import { isAbsolute, join } from 'node:path';
import { ARCHIVE_AGAIN_MS } from '../../contract/limits/archive.ts';
import { identifierSource } from '../../http/identifier.ts';
import { INTERFACE_VERSION } from '../../http/mission-control.ts';
import { pause } from '../../messaging/pause.ts';
import type { ArchiveSettings } from '../../mission/configuration.ts';
import { KnownPlatforms } from '../../telemetry/reading/known-platforms.ts';
import { ArchiveOwner } from '../archive/owner.ts';
import type { ArchivePart } from '../archive/storage.ts';
import { archiveMetrics } from '../metrics/archive.ts';
import type { LeadWork } from '../ownership/leader.ts';
import { begun, type Worker, type WorkerContext } from '../ownership/owned-worker.ts';
import { Recorder } from '../recorder/recorder.ts';
import type { Role, RoleContext } from '../role.ts';

export async function startArchive(context: RoleContext): Promise<Role> {
  const { clock, missions, registry, archiveHealth } = context;
  const platforms = new KnownPlatforms(missions, clock);
  const newId = identifierSource(clock);
  const ending = new AbortController();
  let owner: ArchiveOwner | undefined;
  const count = archiveMetrics(registry, () => owner);
  const forget = archiveHealth.of(() => owner);

  const start =
    (folder: string, id: string) =>
    async (term: WorkerContext): Promise<Worker> => {
      const workshop = (part: ArchivePart) => context.archiveStorage.workshop(folder, part);
      const mine = new ArchiveOwner(
        Object.assign({ platforms, id, workshop, newId, count, version: INTERFACE_VERSION }, context, term),
      );
      owner = mine;
      const worker = await begun(mine);
      return {
        stop: async () => {
          await worker.stop();
          if (owner === mine) owner = undefined;
        },
      };
    };

  return {
    shared: [],
    leads: [
      {
        name: 'recorder',
        start: (term) => begun(new Recorder({ ...context, ...term, newId, version: INTERFACE_VERSION })),
      },
    ],
    leadLater: (lead) => void leadWhenKnown(context, { newId, signal: ending.signal, start }).then(lead),
    stop: async () => {
      ending.abort('stopped');
      forget();
      platforms.stop();
    },
  };
}

interface Leading {
  readonly newId: () => string;
  readonly signal: AbortSignal;
  readonly start: (folder: string, id: string) => LeadWork['start'];
}

/** A1, A2 */
async function leadWhenKnown(
  context: RoleContext,
  { newId, signal, start }: Leading,
): Promise<LeadWork | undefined> {
  const { clock, log, archiveStorage } = context;
  const folder = await folderOf(context, signal);
  if (folder === undefined) return undefined;
  let refusal: string | undefined;
  while (!signal.aborted) {
    try {
      const id = await archiveStorage.identity(folder, newId);
      log.info({ folder, archive: id }, 'archive');
      return { name: `archive-${id}`, start: start(folder, id) };
    } catch (error) {
      const { message } = error as Error;
      if (refusal !== message) log.error({ err: error, folder }, 'the folder of the archive cannot be used');
      refusal = message;
      await pause(clock, ARCHIVE_AGAIN_MS, signal);
    }
  }
  return undefined;
}

/** The folder, once a configuration is there; undefined where there is none, and when it is over. */
function folderOf(context: RoleContext, signal: AbortSignal): Promise<string | undefined> {
  const { missions, stateFolder, log } = context;
  return new Promise((resolve) => {
    let taken: string | undefined;
    let isFirst = true;
    const forget = missions.onChange(({ settings }) => {
      const named = namedFolder(settings.archive, stateFolder);
      if (!isFirst && named !== taken)
        log.warn({ folder: named, now: taken }, 'another folder of the archive: used from the next start on');
      if (isFirst && named === undefined)
        log.warn({}, 'nothing is archived here: give `archive.folder` in the config document, or --state');
      isFirst = false;
      taken = named;
      resolve(named);
    });
    signal.addEventListener('abort', () => {
      forget();
      resolve(undefined);
    });
  });
}

function namedFolder(
  { archiveFolder = 'archive' }: ArchiveSettings,
  state: string | undefined,
): string | undefined {
  if (isAbsolute(archiveFolder)) return archiveFolder;
  return state === undefined ? undefined : join(state, archiveFolder);
}
