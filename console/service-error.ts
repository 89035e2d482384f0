/** A refusal of the service, as the pages have it. Pure. */

export interface ErrorItem {
  readonly code: string;
  readonly message: string;
  readonly help?: string;
}

/** The service refused; `status` 0: it was not reached. */
export class ServiceError extends Error {
  readonly status: number;
  readonly items: readonly ErrorItem[];

  constructor(status: number, items: readonly ErrorItem[]) {
    super(items.map(({ message, help }) => [message, help].filter(Boolean).join('. ')).join('; '));
    this.name = 'ServiceError';
    this.status = status;
    this.items = items;
  }

  /**
   * Whether it is not known what became of what was asked for: nobody answered, or the service could not find out
   * itself, as where the bus has stored something and not said so.
   */
  get isUnknown(): boolean {
    return this.status === 0 || this.status >= 500;
  }
}
