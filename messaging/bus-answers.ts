/** Whether what is known of the bus is of now. Mission Control Service, section 4 (MC-GEN-017). */

import type { Bus } from '../ports/bus.ts';

/** False while there is no connection, and while the server behind it is silent: then nothing is answered from memory. */
export function busAnswers({ connected, silent = false }: Pick<Bus, 'connected' | 'silent'>): boolean {
  return connected && !silent;
}
