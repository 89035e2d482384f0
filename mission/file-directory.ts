/** The on-board directory of a platform, as it is compiled and as it is used. Mission Control Service, sections 2.8 and 4.7. */

import type { FramingConfiguration } from './endpoint.ts';

export interface FileDirectory {
  /** Its component: the files are its instances. */
  readonly component: string;
  readonly types: readonly {
    readonly number: number;
    readonly name: string;
    /** Whether a driver may decode such files to samples. */
    readonly decode: boolean;
    /** How frames of telemetry stand in such a file, for drivers of this service; absent: another driver decodes it. */
    readonly frames?: FramingConfiguration;
  }[];
  readonly transfer: FileTransferPlan;
}

/** How files are listed, read and written. */
export interface FileTransferPlan {
  /** Telecommands of the component, by name. */
  readonly list?: string;
  readonly read?: string;
  readonly write?: string;
  /** Most bytes of one read or write. */
  readonly maxChunk?: number;
  /** Of a whole file, as it is listed. */
  readonly checksum?: string;
  readonly protocol?: 'cfdp';
}
