/**
 * What a run asks the transfer manager for: request and reply (JSON) on `mcs.ctl.rpc.transfer.request` (ours). Mission
 * Control Service, section 4.7 rules 8 and 9.
 *
 * Y1. Asking again for what was created gives the transfer that is there: a generation that was asked for is
 *     transferred once.
 */

import { readResult } from './reply.ts';
import type { Result } from './result.ts';

interface TransferAsked {
  readonly run: string;
  readonly target: string;
  /** Identifier of the file on board. */
  readonly file: string;
  /** The requester, `run <id>`. */
  readonly by: string;
}

export type TransferCall =
  | (TransferAsked & { readonly direction: 'download'; readonly priority: number })
  | (TransferAsked & {
      readonly direction: 'upload';
      /** SHA-256 (hexadecimal) of the stored content. */
      readonly content: string;
    });

export type TransferReply = Result<
  { readonly generation: number },
  {
    readonly code: 'transfer::invalid' | 'files::no-directory' | 'transfer::not-listed';
    readonly message: string;
  }
>;

/** What the transfer manager answered; undefined for a malformed reply. */
export function readTransferReply(bytes: Uint8Array): TransferReply | undefined {
  const codes = ['transfer::invalid', 'files::no-directory', 'transfer::not-listed'] as const;
  return readResult(bytes, ({ generation }) => typeof generation === 'number', codes);
}
