/**
 * Pages of the past one behind the other, through losses of the connection.
 *
 * E1. A page counts when it is there as a whole; after a loss it is asked for again, so every sample comes once.
 * E2. What the service refuses ends it; while it is on its way up or down, and while no archive answers, it is waited
 *     for.
 */

import type { Fault } from '../contract/errors.ts';
import { HISTORY_HEADERS, HISTORY_MEDIA, type HistoryMedia } from '../contract/history-view.ts';
import { HISTORY_PAGE } from '../contract/limits/archive.ts';
import { pause } from './followed.ts';
import { pastPath } from './past-question.ts';
import { faultLine } from './request.ts';
import { identityHeaders, type Service } from './service.ts';

/** Losses in a row without a page between them, before it is given up. */
const LOSSES_MOST = 30;
const AGAIN_MS = 1_000;

export interface ExportQuestion {
  readonly service: Service;
  readonly target: string;
  readonly query: URLSearchParams;
  readonly media: HistoryMedia;
  readonly signal: AbortSignal;
  /** Said at each loss. */
  readonly lost: (said: string) => void;
}

export interface ExportPage {
  readonly bytes: Uint8Array;
  readonly samples: number;
  /** Segments that could not be read. */
  readonly damaged: number;
}

/** The service does not give the page. */
export class ExportRefused extends Error {}

export async function* exportPages(question: ExportQuestion): AsyncIterable<ExportPage> {
  let cursor: string | undefined;
  do {
    const page = await pageThroughLosses(question, cursor);
    yield page;
    cursor = page.next;
  } while (cursor !== undefined);
}

interface FetchedPage extends ExportPage {
  readonly next: string | undefined;
}

/** E1, E2 */
async function pageThroughLosses(question: ExportQuestion, cursor: string | undefined): Promise<FetchedPage> {
  const { signal, lost } = question;
  for (let losses = 0; ; losses += 1) {
    try {
      return await pageAt(question, cursor);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof ExportRefused) throw error;
      const { message } = error as Error;
      if (losses === LOSSES_MOST) throw new ExportRefused(message);
      if (losses === 0) lost(message);
      await pause(AGAIN_MS, signal);
      signal.throwIfAborted();
    }
  }
}

async function pageAt(
  { service, target, query, media, signal }: ExportQuestion,
  cursor: string | undefined,
): Promise<FetchedPage> {
  const asked = new URLSearchParams(query);
  asked.set('limit', String(HISTORY_PAGE));
  if (cursor !== undefined) asked.set('cursor', cursor);
  const headers = { ...identityHeaders(service), accept: HISTORY_MEDIA[media] };
  const response = await fetch(service.api + pastPath(target, asked), { headers, signal });
  if (!response.ok) {
    const said = await refusalOf(response);
    throw response.status >= 500 ? new Error(said) : new ExportRefused(said);
  }
  const bytes = new Uint8Array(await response.arrayBuffer());
  const count = (name: string): number => Number(response.headers.get(name) ?? 0);
  const [samples, damaged] = [count(HISTORY_HEADERS.samples), count(HISTORY_HEADERS.damaged)];
  return { bytes, samples, damaged, next: response.headers.get(HISTORY_HEADERS.next) ?? undefined };
}

async function refusalOf(response: Response): Promise<string> {
  const body = (await response.json().catch(() => undefined)) as { errors?: Fault[] } | undefined;
  return body?.errors?.map(faultLine).join('\n') ?? `the service answered ${response.status}`;
}
