import { hasAddress } from '@roomside/contract/shape.ts';
import { fieldTexts } from '@roomside/contract/texts.ts';
import type { StaffCaller, SuperCaller } from './caller.ts';
import { fieldRefusal } from './refusal.ts';

/**
 * Requires that the names which a clinic's staff set contain no web or email addresses: they appear in mails to people who do not know the
 * clinic (decision 058). Names that are unchanged stay, and an administrator of the installation may set any.
 *
 * @param names by field, each with the stored one
 * @throws Refusal `invalid` at the field
 */
export function requireNamesWithoutAddresses(
  caller: Pick<StaffCaller | SuperCaller, 'kind'>,
  names: Readonly<Record<string, { readonly name: string; readonly stored: string | undefined }>>,
): void {
  if (caller.kind === 'super') return;
  for (const [field, { name, stored }] of Object.entries(names))
    if (name.trim() !== stored && hasAddress(name)) throw fieldRefusal('invalid', field, fieldTexts.addressInName);
}
