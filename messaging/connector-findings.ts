/**
 * What front ends find out about the readers of connectors: in the log of the process, and in the record of the
 * connector, where the log of events and every other front end has it from.
 *
 * F1. What a stream discarded before it was read is recorded with the connector, once, by whoever is first: it stays
 *     known when the connector has read on.
 * F2. That a reader is at risk is recorded by the first front end that sees it begin; that it is over by whoever knows
 *     the rate of the stream from two looks. Front ends that see it differently write no more often than it changes for
 *     one of them.
 */

import { CONNECTOR_LAGS_ASKED } from '../contract/limits/connector.ts';
import { Outage } from '../contract/outage.ts';
import {
  type LossRisk,
  type LostMessages,
  ofConsumer,
  type StoredConnector,
} from '../contract/stored-connector.ts';
import type { ConnectorLag } from './connector-lag.ts';
import { type FoundOfReaders, isNews, recordFound } from './connector-writes.ts';
import type { Connectors } from './connectors.ts';
import { inTurns } from './in-turns.ts';
import type { BookTools } from './registered-book.ts';

interface Options extends Pick<BookTools, 'bus' | 'clock' | 'log'> {
  readonly connectors: Pick<Connectors, 'book'>;
}

export class ConnectorFindings {
  readonly #options: Options;
  /** Readers at risk, by connector and consumer, and whether the record has it. */
  readonly #risky = new Map<string, boolean>();

  constructor(options: Options) {
    this.#options = options;
  }

  async note(lags: readonly ConnectorLag[]): Promise<void> {
    const keys = new Set(lags.map(keyOf));
    for (const key of this.#risky.keys()) if (!keys.has(key)) this.#risky.delete(key);
    for (const lag of lags) this.#sayRisk(lag);
    const byConnector = new Map<string, ConnectorLag[]>();
    for (const lag of lags) byConnector.set(lag.connector, [...(byConnector.get(lag.connector) ?? []), lag]);
    await inTurns([...byConnector], CONNECTOR_LAGS_ASKED, ([connector, readers]) =>
      this.#record(connector, readers),
    );
  }

  #sayRisk(of: ConnectorLag): void {
    const { connector, read, stream, atRisk, reason, lag } = of;
    const key = keyOf(of);
    if (atRisk === this.#risky.has(key)) return;
    const { log } = this.#options;
    const about = { connector, consumer: read.consumer, stream, lag_s: lag?.lagS };
    if (atRisk) {
      this.#risky.set(key, false);
      log.warn({ ...about, reason }, 'a connector is about to lose messages');
    } else {
      this.#risky.delete(key);
      log.info(about, 'a connector is not at risk any more');
    }
  }

  async #record(connector: string, lags: readonly ConnectorLag[]): Promise<void> {
    const { bus, connectors, log } = this.#options;
    const record = connectors.book.get(connector)?.record;
    const found = { lost: lostOf(lags, record), risk: this.#riskOf(lags, record) };
    if (Object.keys(found.lost).length + Object.keys(found.risk).length === 0) return;
    try {
      const written = await recordFound({ bus }, connector, found);
      for (const lag of lags) if (this.#risky.has(keyOf(lag))) this.#risky.set(keyOf(lag), true);
      if (written === undefined) return;
      if (Object.keys(found.lost).length > 0)
        log.error(
          { connector, lost: found.lost },
          'messages were discarded before a connector had read them',
        );
      await connectors.book.seen(written.revision);
    } catch (error) {
      // Found again at the next look, from what the record says then.
      if (!(error instanceof Outage)) throw error;
    }
  }

  /** F2 */
  #riskOf(lags: readonly ConnectorLag[], record: StoredConnector | undefined): FoundOfReaders['risk'] {
    const at = new Date(this.#options.clock.now()).toISOString();
    const news: [consumer: string, LossRisk][] = [];
    for (const lag of lags) {
      const { read, atRisk, reason, isMeasured } = lag;
      const isKnown = ofConsumer(record?.risk, read.consumer)?.at_risk === true;
      const begins = atRisk && !isKnown && this.#risky.get(keyOf(lag)) === false;
      const ends = !atRisk && isKnown && isMeasured;
      if (begins || ends)
        news.push([read.consumer, { at, at_risk: atRisk, ...(reason !== undefined && { reason }) }]);
    }
    return Object.fromEntries(news);
  }
}

/** F1 */
function lostOf(
  lags: readonly ConnectorLag[],
  record: StoredConnector | undefined,
): Readonly<Record<string, LostMessages>> {
  const news = lags.flatMap(({ read: { consumer }, lost }) =>
    lost !== undefined && isNews(lost, ofConsumer(record?.lost, consumer)) ? [[consumer, lost] as const] : [],
  );
  return Object.fromEntries(news);
}

function keyOf({ connector, read }: ConnectorLag): string {
  return `${connector} ${read.consumer}`;
}
