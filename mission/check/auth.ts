/**
 * The identity provider of the config document. Mission Control Service, section 5 items 2 and 3: whoever can be
 * refused later by a setting that is missing is reported now which.
 */

import type { ConfigDocument } from '../document/config.ts';
import type { FaultsAt } from '../document/fault.ts';

type AuthDocument = NonNullable<ConfigDocument['auth']>;

/** What means nothing without an issuer. */
const OF_THE_ISSUER = [
  'audience',
  'jwks_url',
  'jwks_file',
  'roles_claim',
  'client_id',
  'cli_client_id',
] as const;
const LOOPBACK: ReadonlySet<string> = new Set(['127.0.0.1', '[::1]', 'localhost']);

/** Reports everything that keeps tokens from being checked; `faults` are at `auth`. */
export function checkAuth(auth: AuthDocument, faults: FaultsAt): void {
  for (const [name, value] of Object.entries(auth)) {
    if (value === '' && name !== 'roles_prefix')
      faults.in(name).fault('this is empty', `leave ${name} out, or say it`);
  }
  if (auth.issuer === undefined) return checkWithout(auth, faults);
  checkAddress(auth.issuer, faults.in('issuer'));
  if (auth.jwks_url !== undefined) checkAddress(auth.jwks_url, faults.in('jwks_url'));
  if (auth.jwks_url !== undefined && auth.jwks_file !== undefined)
    faults
      .in('jwks_file')
      .fault('the keys come from jwks_url already', 'give jwks_url or jwks_file, not both');
  if ((auth.audience ?? auth.client_id ?? auth.cli_client_id) === undefined) {
    faults
      .in('issuer')
      .fault(
        'no audience is given, so a token for any other service of this issuer would count',
        'give audience, as the provider puts it into claim aud of its access tokens',
      );
  }
}

function checkWithout(auth: AuthDocument, faults: FaultsAt): void {
  if (auth.required === true)
    faults
      .in('required')
      .fault(
        'tokens are required and none can be checked: no caller would be accepted',
        'give issuer and audience',
      );
  for (const name of OF_THE_ISSUER) {
    if (auth[name] !== undefined)
      faults.in(name).fault(`${name} says nothing without an issuer`, 'give issuer and audience');
  }
}

function checkAddress(text: string, faults: FaultsAt): void {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    if (text !== '')
      faults.fault(`"${text}" is no address`, 'write one like https://id.example.org/realms/mission');
    return;
  }
  if (url.username !== '' || url.password !== '' || url.hash !== '')
    faults.fault('the address contains a name, a password or a fragment', 'write the bare address');
  if (url.protocol === 'http:' && !LOOPBACK.has(url.hostname))
    faults.warning(
      'keys read over plain http can be changed on the way, and identities with them',
      'use https, or save the keys beside the mission and name them in jwks_file',
    );
}
