/** One transfer by its name, wherever its record is. Mission Control Service, sections 2.8 and 4.7. */

import Type from 'typebox';
import { buckets } from '../contract/bus/buckets.ts';
import { FILE_ID_PATTERN, isFileId } from '../contract/file-chunk.ts';
import {
  readStoredTransfer,
  type StoredTransfer,
  TRANSFER_DIRECTIONS,
  type TransferDirection,
  type TransferName,
  transferKey,
} from '../contract/transfer.ts';
import { busUnavailable, refuse } from './errors.ts';
import { targetInPath } from './parameters.ts';
import type { RoutePorts } from './ports.ts';
import type { Handled } from './reply.ts';
import type { PathParameter, QueryParameter } from './route.ts';

const GENERATION = /^(0|[1-9][0-9]{0,15})$/;

/** The identifier of a file on board; what cannot be one has no transfer. */
const fileInPath: PathParameter = {
  accepts: isFileId,
  schema: Type.String({
    pattern: FILE_ID_PATTERN,
    description: 'Identifier of the file on board.',
    examples: ['7'],
  }),
  code: 'transfer::unknown',
  expected: 'the identifier of a file: decimal digits',
};

/** MC-XFER-018: what cannot be one has no transfer. */
const generationInPath: PathParameter = {
  accepts: (text) => GENERATION.test(text) && Number.isSafeInteger(Number(text)),
  schema: Type.String({
    pattern: GENERATION.source,
    description: 'Which writing of the file.',
    examples: ['2'],
  }),
  code: 'transfer::unknown',
  expected: `a generation of a file: a whole number up to ${Number.MAX_SAFE_INTEGER}`,
};

export const transferInPath = {
  target: targetInPath,
  file_id: fileInPath,
  generation: generationInPath,
} as const;

export const directionInQuery: QueryParameter<TransferDirection> = {
  schema: Type.Enum(TRANSFER_DIRECTIONS, {
    default: 'download',
    description: 'Of the download, or of the upload.',
  }),
  expected: 'download or upload',
  parse: (text) => TRANSFER_DIRECTIONS.find((direction) => direction === text),
};

/** The name in a path. */
export function nameIn(
  params: { readonly target: string; readonly file_id: string; readonly generation: string },
  direction: TransferDirection = 'download',
): TransferName {
  const { target, file_id, generation } = params;
  return { target, file_id, generation: Number(generation), direction };
}

type Ports = Pick<RoutePorts, 'bus' | 'transfers' | 'transfersOver'>;

/** Its record, also one that another process wrote a moment ago, or that is long over; refuses `transfer::unknown`. */
export async function recordedTransfer(
  name: TransferName,
  { bus, transfers, transfersOver }: Ports,
): Promise<Handled<StoredTransfer>> {
  if (!transfers.live) return busUnavailable();
  const key = transferKey(name);
  const known = transfers.get(key);
  if (known !== undefined) return { ok: true, value: known };
  const entry = await bus.bucket(buckets.transfers).get(key);
  const stored = entry === undefined ? await transfersOver.find(name) : readStoredTransfer(key, entry.value);
  if (stored !== undefined) return { ok: true, value: stored };
  const { target, file_id, generation, direction } = name;
  return refuse(
    'transfer::unknown',
    `no ${direction} of generation ${generation} of file ${file_id} of ${target}`,
    {
      help: 'GET /v1/transfers lists those there are; with all=true also those that are long over.',
    },
  );
}
