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
}
