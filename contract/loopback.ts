/** Addresses that only this machine reaches. */

const LOOPBACK = /^127(\.\d{1,3}){3}$/;

/** Whether a server that listens there is reached from this machine alone. */
export function isLoopback(address: string): boolean {
  return address === 'localhost' || address === '::1' || LOOPBACK.test(address);
}
